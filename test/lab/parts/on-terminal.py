"""Runs a command on a terminal of 33 rows and 91 columns: on-terminal.py COMMAND...

What comes on stdin is typed, what is shown goes to stdout. SIGUSR1 makes the window 40 by 120. Ends as the command did; the last line on
stderr says whether the terminal was left as it was found.
"""
import fcntl, os, select, signal, struct, subprocess, sys, termios

master, slave = os.openpty()


def resize(rows, columns):
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))


def take_terminal():
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)


resize(33, 91)
before = termios.tcgetattr(slave)
signal.signal(signal.SIGUSR1, lambda *_: resize(40, 120))
child = subprocess.Popen(sys.argv[1:], stdin=slave, stdout=slave, stderr=slave, preexec_fn=take_terminal)
signal.signal(signal.SIGTERM, lambda *_: child.send_signal(signal.SIGTERM))
sources = [master, 0]
while True:
    ready = select.select(sources, [], [], 0.1)[0]
    if master in ready:
        os.write(1, os.read(master, 65536))
    elif child.poll() is not None:
        break
    if 0 in ready:
        typed = os.read(0, 65536)
        if typed:
            os.write(master, typed)
        else:
            sources.remove(0)
print('restored' if termios.tcgetattr(slave) == before else 'changed', file=sys.stderr)
code = child.returncode
sys.exit(code if code >= 0 else 128 - code)
