"""The command."""

import sys

from tuneplane.integrations.lm_eval.command import main

if __name__ == "__main__":
    sys.exit(main())
