#!/bin/sh
# Creates a GT.M or YottaDB database for SECCHI.m in a new directory, with a journal, and prints the next command.
#   gtm_dist=/usr/lib/.../fis-gtm/V7.0-005_x86_64 sh setup-gtm.sh DIR [BUFFERS] [on|off]
# Run this script in the directory that contains SECCHI.m and SECCHIOS.m.
set -eu
dir=${1:?a new directory}; buffers=${2:-2048}; journal=${3:-on}
: "${gtm_dist:?the directory of GT.M or YottaDB}"
here=$(pwd)
mkdir "$dir"; cd "$dir"; dir=$(pwd)
mkdir routines data journal
cp "$here/SECCHI.m" "$here/SECCHIOS.m" routines
util=$gtm_dist/libgtmutil.so; [ -f "$util" ] || util=$gtm_dist/libyottadbutil.so
cat > env <<ENV
export gtm_dist=$gtm_dist gtmgbldir=$dir/secchi.gld gtm_chset=M gtm_tmp=$dir gtm_log=$dir
export gtmroutines="$dir/routines($dir/routines) $util"
ENV
. ./env
# File names are quoted, because GDE would treat the rest of the line as part of an unquoted name. Data kept from runs
# (^SECCHI) is in a separate region without a journal, so that it is not measured.
"$gtm_dist/mumps" -run GDE > gde.log 2>&1 <<GDE
change -segment DEFAULT -block_size=8192 -allocation=4096 -extension_count=4096 -nodefer_allocate -global_buffer_count=$buffers -file="$dir/data/ran.dat"
change -region DEFAULT -key_size=255 -record_size=32767 -journal=(before,allocation=2048,buffer_size=4000,file="$dir/journal/ran.mjl")
add -segment CONTROL -block_size=4096 -allocation=1000 -file="$dir/control.dat"
add -region CONTROL -dynamic_segment=CONTROL -key_size=255 -record_size=32767
add -name SECCHI -region=CONTROL
exit
GDE
"$gtm_dist/mupip" create
"$gtm_dist/mupip" set -fullblkwrt=2 -region DEFAULT || echo "older engine: only the used part of a block is written"
"$gtm_dist/mupip" set -asyncio -region DEFAULT || echo "no O_DIRECT here: the page cache is measured, too"
[ "$journal" = off ] || "$gtm_dist/mupip" set -journal=enable,on,before,epoch_interval=30,nosync_io -region DEFAULT
echo "next: . $dir/env; cd $dir; \$gtm_dist/mumps -run %XCMD 'do create^SECCHI(5,1000000)'"
