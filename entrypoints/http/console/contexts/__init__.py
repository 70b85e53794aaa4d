"""What each page is given: one typed struct a template, its fields being the template's variables."""
