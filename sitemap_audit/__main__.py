"""`python -m sitemap_audit` is the command `sitemap-audit`."""

import sys

from sitemap_audit.cli import main

sys.exit(main())
