"""Tallybook's command line."""

import sys

from accounting.config.startup import main

if __name__ == "__main__":
    main(sys.argv)
