"""The coordinator: collects facts into the store, plans polite batches, keeps the account.

    1. folder    the run folder, its lock and run.json
    2. sites     SITE arguments → RunOptions: scope, origins, private addresses
    3. children  the spider and the local workers, as processes
    4. collect   messages of the two streams → Parquet parts and ledger
    5. ledger    each unique URL once, with its state: listed = checked + skipped + unchecked
    6. plan      which URLs go into which batch, and when
    7. outstanding  batches under way, their leases, and what a lost one left
    8. run       the loop over all of these, until nothing is left

Nothing here judges and nothing here fetches.
"""
