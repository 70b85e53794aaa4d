"""One file a rule; its name says the rule. Identity rules place events, the others decide between facts."""
