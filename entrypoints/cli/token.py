"""`token create`: a personal access token for a program."""

from __future__ import annotations

import argparse

from entrypoints.cli.options import Commands, add_data, settings_of


def add(commands: Commands) -> None:
    """Declares the command."""
    parser = commands.add_parser("token", help="make personal access tokens", description="Personal access tokens.")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    create = actions.add_parser(
        "create",
        help="make a token and print it once",
        description="Makes a personal access token for USER and prints it. It is shown this once; its hash alone is "
        "kept. Programs send it as Authorization: Bearer tp_pat_…",
    )
    create.add_argument("user", metavar="USER")
    create.add_argument("--name", default="", help="what it is for, shown in the list of tokens")
    create.add_argument("--days", type=int, help="days until it expires (default: until it is taken back)")
    add_data(create)
    create.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """The command."""
    from entrypoints.cli.installation import installation

    with installation(settings_of(arguments)) as container:
        minted = container.create_personal_token()(arguments.user, name=arguments.name, days=arguments.days)
    print(minted.text)
    return 0
