"""`user create/password/grant`: the people of an installation."""

from __future__ import annotations

import argparse
import sys

from entrypoints.cli.options import Commands, add_data, settings_of

ROLES = ("admin", "member", "viewer")
PERMISSIONS = ("content", "audit")


def add(commands: Commands) -> None:
    """Declares the commands."""
    parser = commands.add_parser("user", help="make people, change what they may do", description="People.")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    create = actions.add_parser(
        "create",
        help="make a user",
        description="Makes USER and prints a random password once. member makes and changes jobs, viewer reads, admin "
        "does everything.",
    )
    create.add_argument("--role", choices=ROLES, default="member")
    password = actions.add_parser(
        "password",
        help="set a new password",
        description="Prints a new random password for USER once and ends the sessions of USER. Personal tokens stay.",
    )
    for one in (create, password):
        one.add_argument(
            "--password-stdin", action="store_true", help="read the password, one line, from standard input"
        )
    grant = actions.add_parser(
        "grant",
        help="change role and permissions",
        description="content: may read trajectory bodies and validation text. audit: may read the whole log. Admins "
        "have both. --permissions replaces what was granted; with no name it takes everything back.",
    )
    grant.add_argument("--role", choices=ROLES)
    grant.add_argument("--permissions", nargs="*", choices=PERMISSIONS)
    for one, command in ((create, create_user), (password, change_password), (grant, grant_rights)):
        one.add_argument("user", metavar="USER")
        add_data(one)
        one.set_defaults(run=command)


def create_user(arguments: argparse.Namespace) -> int:
    """The command."""
    from entrypoints.cli.installation import installation

    given = _password(arguments)
    with installation(settings_of(arguments)) as container:
        password = container.manage_accounts().create(arguments.user, role=arguments.role, password=given)
    _tell(arguments.user, password, given)
    return 0


def change_password(arguments: argparse.Namespace) -> int:
    """The command."""
    from entrypoints.cli.installation import installation

    given = _password(arguments)
    with installation(settings_of(arguments)) as container:
        password = container.manage_accounts().change_password(arguments.user, given)
    _tell(arguments.user, password, given)
    return 0


def grant_rights(arguments: argparse.Namespace) -> int:
    """The command."""
    from entrypoints.cli.installation import installation

    with installation(settings_of(arguments)) as container:
        account = container.manage_accounts().grant(
            arguments.user, role=arguments.role, permissions=arguments.permissions
        )
    print(f"{account.name}: {account.role}, {', '.join(sorted(account.permissions)) or 'no further permissions'}")
    return 0


def _password(arguments: argparse.Namespace) -> str | None:
    return sys.stdin.readline().rstrip("\n") if arguments.password_stdin else None


def _tell(user: str, password: str, given: str | None) -> None:
    print(f"{user}: the password was set." if given is not None else f"{user}: {password}")
