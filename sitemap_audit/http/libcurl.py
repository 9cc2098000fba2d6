"""pycurl, for a type checker that cannot see into it: its names come from a compiled module without stubs."""

from __future__ import annotations

from typing import Any

import pycurl as _pycurl

pycurl: Any = _pycurl
