"""The coordinator: collects facts into the store, plans polite batches, keeps the account.

    sites        SITE arguments → RunOptions: scope, origins, private addresses
    start        the server, the writers, what a resume knows (known, list_file)
    children     the spider and the local workers, as processes
    collect      messages of the two streams → Parquet parts and account
    ledger       each unique URL once, with its state: listed = checked + skipped + unchecked
    select       which listed URLs are asked at all
    plan         which URLs go into which batch, and when
    outstanding  batches under way, their leases, and what a lost one left
    work         what to do with each word that comes back
    run          the loop over all of these, until nothing is left (progress, signals, follow)

Nothing here judges and nothing here fetches.
"""
