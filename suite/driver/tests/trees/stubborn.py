"""A tree that does not want to die: every process ignores SIGTERM; one has double-forked, one leads a session of its
own. Each writes its process id into the folder given as the first argument; "leave" as the second one makes the root
end and the others stay."""
import os
import signal
import sys
import time

FOLDER = sys.argv[1]
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGINT, signal.SIG_IGN)


def stay(name):
    with open(os.path.join(FOLDER, name + ".tmp"), "w") as file:
        file.write(str(os.getpid()))
    os.rename(os.path.join(FOLDER, name + ".tmp"), os.path.join(FOLDER, name))
    time.sleep(600)
    os._exit(0)


if os.fork() == 0:
    stay("child")
if os.fork() == 0:
    if os.fork() == 0:
        stay("double_fork")
    os._exit(0)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        stay("new_session")
    os._exit(0)
if len(sys.argv) > 2:
    while not {"child", "double_fork", "new_session"} <= set(os.listdir(FOLDER)):
        time.sleep(0.002)
    sys.exit(7)
stay("root")
