#!/bin/bash
# A place in which nearly everything that the probe tries succeeds: so the probe is able to find
# something. Run it as root by
#
#   unshare --mount --pid --fork --uts --ipc --net --kill-child loose.sh PROBE FOLDER
#
# FOLDER is an empty one. It becomes a copy of the machine that is gone afterwards: its files are an
# overlay, its addresses are on a loopback of its own. The clock and the kernel itself are out of
# reach: they are everybody's.
set -e
folder=$2
mount -t tmpfs loose "$folder"
mkdir "$folder"/{above,work,root}
mount -t overlay loose -o "lowerdir=/,upperdir=$folder/above,workdir=$folder/work" "$folder/root"
cd "$folder/root"
mount -t proc loose proc
mount -t tmpfs loose sys
mkdir -p sys/{files,kernel,fs/cgroup} workspace oldroot etc/ssh root home var/log run/dbus old
mount -t tmpfs loose workspace
touch etc/machine-id var/run/docker.sock run/dbus/system_bus_socket 2>/dev/null || true
ln -sf /run var/run 2>/dev/null || true
touch run/docker.sock
mount -t tmpfs loose dev
mkdir dev/{pts,shm,net}
for name in null zero full random urandom; do cp -a "/dev/$name" "dev/$name"; done
for name in mem kvm fuse net/tun vda sda console uinput loop-control; do touch "dev/$name"; done
mount -t devpts -o newinstance,ptmxmode=0666 loose dev/pts
ln -s pts/ptmx dev/ptmx
touch dev/tty
ip link set lo up
for address in 192.0.2.1 192.0.2.53 169.254.169.254; do ip address add "$address/32" dev lo; done
ip -6 address add 2001:db8::1/128 dev lo
ip route add broadcast 255.255.255.255 dev lo
echo "0 2147483647" > /proc/sys/net/ipv4/ping_group_range
cp "$1" workspace/probe
pivot_root . old
umount -l old
cd /workspace
for _ in {1..10}; do sleep 600 & done
python3 - "$!" <<'PYTHON'
import os, socket, subprocess, sys
# The targets of the attempts exist.
places = [(socket.AF_INET, "0.0.0.0", 80), (socket.AF_INET, "127.0.0.1", 0)]
listeners = [socket.create_server((host, port), family=kind) for kind, host, port in places]
six = socket.create_server(("2001:db8::1", 80), family=socket.AF_INET6)
abstract = socket.socket(socket.AF_UNIX)
abstract.bind("\0probe")
abstract.listen()
os.open("/dev/null", os.O_RDONLY)
os.dup2(os.open("/dev/null", os.O_RDONLY), 99, inheritable=True)
kept = "-sys_time,-sys_boot,-sys_module,-sys_rawio"
words = ["setpriv", "--bounding-set", kept, "/workspace/probe", "--apart"]
words += [str(listeners[1].getsockname()[1]), "probe", sys.argv[1]]
subprocess.run(words, close_fds=False, env={"CANARY": "1", "PATH": os.environ["PATH"]})
PYTHON
