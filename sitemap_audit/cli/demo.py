"""`sitemap-audit demo`: a small broken site on loopback, audited: the whole product without a network."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from sitemap_audit.cli import options as shared


def demo(
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="DIR", help="The run folder.  [default: audits/demo/TIME]", show_default=False
        ),
    ] = None,
    quiet: shared.QuietOption = False,
) -> None:
    """Serve a small broken shop on loopback and audit it: every rule fires once, without a network."""
    from sitemap_audit.cli.config import Config
    from sitemap_audit.cli.finish import audit_and_report
    from sitemap_audit.coordinate.sites import origins_of, read_site, scope_of
    from sitemap_audit.demo.server import serving
    from sitemap_audit.demo.site import DOWN, GONE, SITE, STAGING
    from sitemap_audit.options import RunOptions, Transport
    from sitemap_audit.store.folder import RunFolder, RunRecord, default_out, new_run_id

    now = datetime.now(UTC)
    site = [read_site(SITE)]
    with serving() as server:
        options = RunOptions(
            run_id=new_run_id(),
            sites=(SITE,),
            scope=scope_of(site, (STAGING, DOWN, GONE)),
            origins=origins_of(site),
            rate=0,
            concurrency=8,
            inspect_blocked=True,
            depth="page",
            recheck_after_s=0,
        )
        record = RunRecord(
            run_id=options.run_id,
            state="running",
            started_at=now,
            options=options,
            transport=Transport(connect_to=server.connect_to),
            sites_given=(SITE,),
            workers_wanted=2,
        )
        folder = RunFolder((out or default_out("demo", now)).absolute())
        if not quiet:
            print(
                f"sitemap-audit: serving a small broken shop on 127.0.0.1:{server.port} and auditing it",
                file=sys.stderr,
            )
        code = audit_and_report(folder, record, redis_url=None, config=Config(), quiet=quiet)
    raise typer.Exit(0 if code in (0, 1, 3) else code)
