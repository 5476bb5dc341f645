# The peer of durable writes: single-row commits of SQLite, journal in WAL, synchronous=FULL. Arguments: file, seconds.
import json
import sqlite3
import sys
import time

path, seconds = sys.argv[1], float(sys.argv[2])
connection = sqlite3.connect(path, isolation_level=None)
connection.execute('PRAGMA journal_mode=WAL')
connection.execute('PRAGMA synchronous=FULL')
connection.execute('CREATE TABLE project (id TEXT PRIMARY KEY, document TEXT NOT NULL)')
document = json.dumps({'name': 'a project', 'slug': 'a-project', 'padding': 'x' * 500})
count = 0
start = time.perf_counter()
while time.perf_counter() - start < seconds:
    connection.execute('INSERT INTO project VALUES (?, ?)', (f'proj_{count}', document))
    count += 1
print(json.dumps({'perSecond': count / (time.perf_counter() - start)}))
