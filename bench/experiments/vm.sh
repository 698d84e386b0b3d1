#!/bin/bash
# Runs a command with drives that this machine may not have, in a temporary virtual machine: an emulated NVMe drive, a zoned NVMe
# namespace, a SCSI disk, and the kernel's null_blk and scsi_debug. It is not part of the continuous integration.
#
#   bench/experiments/vm.sh SECCHI COMMAND [FILE...]      e.g. target/debug/secchi 'secchi info; nvme smart-log /dev/nvme0'
#
# COMMAND is a shell command. It is run as root in an empty directory in memory, to which the FILEs are copied. Its output and its
# exit code are those of this script. Available in the machine:
#   /dev/nvme0n1 /dev/ng0n1   2 GiB, a drive with temperature and SMART log, behind a PCIe port
#   /dev/nvme1n1 /dev/ng1n1   zoned: 16 zones of 16 MiB, 12 MiB of each usable, at most 4 open
#   /dev/sda /dev/sg0         512 MiB
#   qmp JSON                  sends a command to the emulator and prints the answer: qmp '{"execute":"query-blockstats"}'
#   drives                    prints the emulator's counts for each drive: reads, writes, flushes, discards and bytes
#   modprobe null_blk ...     also scsi_debug
#
# Needs qemu-system-x86, busybox-static, nvme-cli, sg3-utils, e2fsprogs, util-linux, kmod, cpio, python3. The kernel is Debian's,
# downloaded once with `apt-get download` into ${VM_DIR:-/var/tmp/secchi-vm}. Without a working /dev/kvm, the machine is fully
# emulated and about 20 times slower, so its speeds mean nothing.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,/^set/p' "$0" | grep '^#' | cut -c3-; exit 64; }
secchi=$(realpath "$1") command=$2
shift 2
files=("$@")
dir=${VM_DIR:-/var/tmp/secchi-vm}
mkdir -p "$dir"

# Download the kernel and its modules, and build the tools. This is done once.
if [ ! -e "$dir/initramfs" ]; then
  (
    cd "$dir"
    rm -rf kernel root
    package=$(apt-cache depends linux-image-amd64 | awk '/Depends:/ { print $2; exit }')
    compgen -G "$package*.deb" > /dev/null || apt-get download "$package" 2> /dev/null
    dpkg-deb -x "$package"*.deb kernel
    cp kernel/boot/vmlinuz-* vmlinuz
    version=$(basename kernel/boot/vmlinuz-* | cut -d- -f2-)
    mkdir -p root/{bin,sbin,lib,lib64,proc,sys,dev,tmp,run,share,mnt,etc,usr}
    ln -s ../bin ../sbin ../lib ../lib64 root/usr/ 2> /dev/null || true
    depmod -b kernel "$version"
    for module in virtio_pci 9pnet_virtio 9p nvme ext4 crc32c_generic crc32c_intel sd_mod sg virtio_scsi virtio_blk null_blk scsi_debug; do
      modprobe -d kernel -S "$version" --show-depends "$module" 2> /dev/null | awk '$1 == "insmod" { print $2 }'
    done | sort -u | while read -r module; do
      to=root/lib/modules/$version/${module#*"$version"/}
      mkdir -p "$(dirname "$to")"
      cp "$module" "$to"
    done
    cp kernel/lib/modules/"$version"/modules.{builtin,order,builtin.modinfo} "root/lib/modules/$version/"
    depmod -b root "$version"
    cp "$(command -v busybox)" root/bin/busybox
    for name in $(busybox --list | grep -vx busybox); do ln -sf busybox "root/bin/$name"; done
    for tool in nvme blkzone mkfs.ext4 sg_inq sg_dd modprobe fio; do
      path=$(PATH=$PATH:/sbin:/usr/sbin command -v "$tool") || continue
      rm -f "root/bin/$tool"
      cp -L "$path" "root/bin/$tool"
      echo "$path"
    done | { cat; echo "$secchi"; } | xargs ldd 2> /dev/null | { cat; echo /lib/x86_64-linux-gnu/libgcc_s.so.1; echo /lib/x86_64-linux-gnu/libm.so.6; } |
      grep -o '/[^ ]*\.so[^ ]*' | sort -u | while read -r library; do
      mkdir -p "root/$(dirname "$library")"
      cp -L "$library" "root/$library"
    done
    cp "$dir/root/bin/modprobe" root/sbin/modprobe
    echo root:x:0:0:root:/:/bin/sh > root/etc/passwd
    cat > root/bin/qmp <<'END'
#!/bin/sh
rm -f /share/answer
echo "$1" > /share/asked.new && mv /share/asked.new /share/asked
until [ -e /share/answer ]; do sleep 0.1; done
cat /share/answer
END
    cat > root/bin/drives <<'END'
#!/bin/sh
qmp drives
END
    cat > root/init <<'END'
#!/bin/sh
export PATH=/bin:/sbin HOME=/tmp TERM=dumb
mount -t proc none /proc; mount -t sysfs none /sys; mount -t devtmpfs none /dev; mount -t tmpfs none /tmp; mount -t tmpfs none /run
mount -t debugfs none /sys/kernel/debug; mount -t tracefs none /sys/kernel/tracing; mkdir -p /dev/shm; mount -t tmpfs none /dev/shm
ifconfig lo up
ln -s /proc/self/fd /dev/fd
for module in virtio_pci 9pnet_virtio 9p crc32c_generic ext4 nvme sd_mod sg virtio_scsi; do modprobe $module; done
mount -t 9p -o trans=virtio,version=9p2000.L,msize=524288 share /share
mkdir -p /tmp/work; cd /tmp/work
cp /share/files/* .
export PATH=/tmp/work:$PATH
echo 4 > /proc/sys/kernel/printk
sh ./command > /share/output 2>&1
echo $? > /share/code
dmesg > /share/dmesg
sync
poweroff -f
END
    chmod +x root/init root/bin/qmp root/bin/drives
    (cd root && find . | cpio -o -H newc --quiet) | gzip -1 > initramfs.new
    mv initramfs.new initramfs
    rm -rf kernel root
  )
fi

run=$(mktemp -d "$dir/run.XXXXXX")
machine=
clean() {
  [ -z "$machine" ] || kill "$machine" 2> /dev/null || true
  wait
  rm -rf "$run"
}
trap clean EXIT
mkdir -p "$run/share/files"
cp "$secchi" "$run/share/files/secchi"
[ ${#files[@]} -eq 0 ] || cp "${files[@]}" "$run/share/files/"
printf '%s\n' "$command" > "$run/share/files/command"
truncate -s 2G "$run/nvme"
truncate -s 256M "$run/zoned"
truncate -s 512M "$run/scsi"

acceleration=(-accel tcg,thread=multi -cpu max)
if [ -w /dev/kvm ] && grep -qE 'vmx|svm' /proc/cpuinfo; then acceleration=(-accel kvm -cpu host); fi
# The port's link is faster than the drive's, so the drive's link is not limited by the port.
qemu-system-x86_64 -machine q35 "${acceleration[@]}" -smp 2 -m "${VM_MEMORY:-2G}" -nodefaults -display none -no-reboot \
  -kernel "$dir/vmlinuz" -initrd "$dir/initramfs" -append "console=ttyS0 quiet panic=-1 mitigations=off" \
  -serial "file:$run/console" -qmp "unix:$run/qmp,server,nowait" \
  -virtfs "local,path=$run/share,mount_tag=share,security_model=none" \
  -drive "if=none,id=plain,file=$run/nvme,format=raw,discard=unmap" \
  -drive "if=none,id=zoned,file=$run/zoned,format=raw" \
  -drive "if=none,id=scsi,file=$run/scsi,format=raw,discard=unmap" \
  -device pcie-root-port,id=port0,chassis=1 -device pcie-root-port,id=port1,chassis=2 \
  -device nvme,id=nvme0,serial=SECCHI0001,bus=port0 -device nvme-ns,drive=plain,bus=nvme0,nsid=1 \
  -device nvme,id=nvme1,serial=SECCHI0002,bus=port1 \
  -device nvme-ns,drive=zoned,bus=nvme1,nsid=1,zoned=true,zoned.zone_size=16M,zoned.zone_capacity=12M,zoned.max_open=4,zoned.max_active=6 \
  -device virtio-scsi-pci -device scsi-hd,drive=scsi ${VM_MORE:-} &
machine=$!

# Forward the machine's requests to the emulator until the machine is off.
code=0
timeout "${VM_SECONDS:-600}" python3 - "$run" "$machine" <<'END' || code=$?
import json, os, socket, sys, time
run, machine = sys.argv[1], int(sys.argv[2])
share = run + "/share/"
link = None
def ask(command):
    global link
    if link is None:
        plug = socket.socket(socket.AF_UNIX)
        plug.connect(run + "/qmp")
        link = plug.makefile("rw")
        link.readline()
        ask({"execute": "qmp_capabilities"})
    link.write(json.dumps(command) + "\n")
    link.flush()
    while True:
        answer = json.loads(link.readline())
        if "event" not in answer:
            return answer
def drives():
    lines = []
    for drive in ask({"execute": "query-blockstats"})["return"]:
        s = drive["stats"]
        lines.append("emulator counted on %s: reads %d (%d bytes), writes %d (%d bytes), flushes %d, discards %d (%d bytes)" % (
            drive.get("device") or drive.get("qdev"), s["rd_operations"], s["rd_bytes"], s["wr_operations"], s["wr_bytes"],
            s["flush_operations"], s["unmap_operations"], s["unmap_bytes"]))
    return "\n".join(lines)
def alive():
    try:
        return open("/proc/%d/stat" % machine).read().split(")")[1].split()[0] != "Z"
    except OSError:
        return False
while alive():
    if os.path.exists(share + "asked"):
        text = open(share + "asked").read().strip()
        os.remove(share + "asked")
        try:
            said = drives() if text == "drives" else json.dumps(ask(json.loads(text)))
        except Exception as e:
            said = "qmp: %r" % e
        with open(share + "answer.new", "w") as f:
            f.write(said + "\n")
        os.rename(share + "answer.new", share + "answer")
    time.sleep(0.05)
END
[ -e "$run/share/output" ] && cat "$run/share/output"
if [ -n "${VM_KERNEL:-}" ]; then cat "$run/share/dmesg"; fi
if [ ! -e "$run/share/code" ]; then
  echo "vm.sh: the command did not end (${code})" >&2
  tail -n 30 "$run/console" >&2
  exit 1
fi
exit "$(cat "$run/share/code")"
