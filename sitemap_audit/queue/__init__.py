"""What travels between processes: keys, messages, streams, batches, a host's request slots, the private server.

The only package that speaks to Redis. It knows no HTTP and judges nothing.
"""
