"""CHECK: RQ workers that take a batch of URLs, fetch each politely, and turn it into one page fact.

    1. __main__.py starts processes and replaces one that dies
    2. worker.py   waits for jobs on the queue and runs the one listed function
    3. jobs.py     turns the job into a batch of a run
    4. batch.py    the loop of one batch: robots.txt, slots, connections, the end of the box
    5. check.py    one URL: may it be fetched, what did it answer, what comes of it
    6. page_fact.py  the Page of an answer
    7. outbox.py   facts to the stream, while the batch goes on

Nothing here judges a site. It imports sitemap_audit and never the crawler.
"""
