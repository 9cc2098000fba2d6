"""What people and programs read of a run: everything renders one summary over one judged set of facts.

judged      facts → tables → findings, from one fixed list of parts
summary     the numbers that all formats repeat
checklist   the ten questions that close the sitemap and robots.txt guide
tables      the columns of the CSV files, each with the SQL it comes from
csv_files   how a cell is written: formats, formula guard, control characters
terminal    the summary on stdout
write       which files a run gets
"""
