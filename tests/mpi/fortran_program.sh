#!/bin/sh
# Quantum ESPRESSO (Debian's pw.x, unmodified, Fortran with BLACS beneath) under path maps: energy, force and pressure of two
# silicon atoms must be those of a run without Waymark.
#
# fortran_program.sh          one configuration, of make check
# fortran_program.sh all      every shipped map at 2, 3, 4 and 8 ranks
# fortran_program.sh MAP RANKS
. "${srcdir:-.}/tests/mpi/job.sh"
pseudopotentials=/usr/share/espresso/pseudo
command -v pw.x >/dev/null && [ -r $pseudopotentials/Si.pz-vbc.UPF ] || exit 77
limit=300
OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 && export OMP_NUM_THREADS OPENBLAS_NUM_THREADS

cat >"$work/si.in" <<TEXT
&control
  calculation = 'scf', prefix = 'silicon', pseudo_dir = '$pseudopotentials', outdir = '$work', disk_io = 'none'
  tprnfor = .true., tstress = .true.
/
&system
  ibrav = 2, celldm(1) = 10.2, nat = 2, ntyp = 1, ecutwfc = 10.0, nosym = .true.
/
&electrons
  conv_thr = 1.0d-10
/
ATOMIC_SPECIES
 Si 28.086 Si.pz-vbc.UPF
ATOMIC_POSITIONS alat
 Si 0.00 0.00 0.00
 Si 0.27 0.25 0.25
K_POINTS automatic
 2 2 1 1 1 1
TEXT

# Even numbers of ranks share the k-points between two groups of ranks.
pools_of() { echo $((2 - $1 % 2)); }

# Energy, force and pressure, without their last digit, which depends on the order of sums.
results() {
    sed -n -e 's/^! *total energy *= *\(-[0-9.]*\)[0-9] Ry.*/energy \1/p' -e 's/^ *Total force = *\([0-9.]*\)[0-9] .*/force \1/p' \
        -e 's/.*P= *\(-*[0-9.]*\)[0-9]$/pressure \1/p' -e 's/^ *\(JOB DONE\).*/\1/p' \
        -e 's/^ *\(convergence has been achieved\).*/\1/p' "$output"
}

without_waymark() { # RANKS
    job "$1" pw.x -npool "$(pools_of "$1")" -in "$work/si.in"
    results >"$work/reference"
    [ "$(wc -l <"$work/reference")" -eq 5 ] || fail "pw.x on $1 ranks without Waymark"
}

run_pw() { # MAP RANKS
    map=$1 ranks=$2
    run_options=-v
    mapped "$map" "$ranks" pw.x -npool "$(pools_of "$ranks")" -in "$work/si.in" || return
    results >"$work/results"
    cmp -s "$work/reference" "$work/results" ||
        { diff "$work/reference" "$work/results"; fail "pw.x, map $map, $ranks ranks: other results"; return; }
    planned=$(sed -n 's/^waymark: *\([a-z]*\) *\([0-9]*\) planned.*/\1 \2/p' "$output" | paste -sd, -)
    echo "pw.x, map $map, $ranks ranks: valid ($planned)"
}

case $# in
0)
    without_waymark 4
    run_pw hierarchy 4
    ;;
1)
    for ranks in 2 3 4 8; do
        without_waymark $ranks
        for map in $(shipped_maps); do run_pw "$map" $ranks; done
    done
    ;;
*)
    without_waymark "$2"
    run_pw "$1" "$2"
    ;;
esac
verdict
