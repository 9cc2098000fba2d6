"""robots.txt: what it answers, and what it lets through."""
