#!/bin/sh
# HPC Challenge (Debian's hpcc, unmodified) under path maps: its own checks of its results must pass.
#
# hpcc.sh          one configuration, of make check
# hpcc.sh all      every shipped map at 2, 3, 4 and 8 ranks
# hpcc.sh MAP RANKS
. "${srcdir:-.}/tests/mpi/job.sh"
command -v hpcc >/dev/null || exit 77
limit=300
OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 && export OMP_NUM_THREADS OPENBLAS_NUM_THREADS

# A process grid P x Q of so many ranks.
grid_of() {
    case $1 in
    2) echo 1 2 ;;
    3) echo 1 3 ;;
    4) echo 2 2 ;;
    6) echo 2 3 ;;
    8) echo 2 4 ;;
    9) echo 3 3 ;;
    *) echo 1 "$1" ;;
    esac
}

input() { # N P Q
    cat <<TEXT
HPLinpack benchmark input file
Innovative Computing Laboratory, University of Tennessee
HPL.out
8            device out
1            # of problems sizes (N)
$1           Ns
1            # of NBs
32           NBs
0            PMAP process mapping
1            # of process grids (P x Q)
$2           Ps
$3           Qs
16.0         threshold
1            # of panel fact
2            PFACTs
1            # of recursive stopping criterium
4            NBMINs
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs
1            # of broadcast
1            BCASTs
1            # of lookahead depth
1            DEPTHs
2            SWAP
64           swapping threshold
0            L1 in transposed form
0            U  in transposed form
1            Equilibration
8            memory alignment in double
##### This line is ignored #####
1            Number of additional problem sizes for PTRANS
250          values of N
1            number of additional blocking sizes for PTRANS
24           values of NB
TEXT
}

value() { sed -n "s/^$1=//p" hpccoutf.txt; }

below() { awk "BEGIN { exit !(\"$1\" != \"\" && $1 + 0 >= 0 && $1 + 0 < $2) }"; }

# hpcc's own result lines; nothing printed means that all is well.
complaints() {
    [ "$(value Success)" = 1 ] || echo "Success is '$(value Success)'"
    [ "$(grep -c 'PASSED' hpccoutf.txt)" -gt 0 ] || echo "no HPL residual has passed"
    grep 'FAILED' hpccoutf.txt
    below "$(value PTRANS_residual)" 16 || echo "PTRANS_residual is '$(value PTRANS_residual)'"
    for name in MPIRandomAccess MPIRandomAccess_LCG; do
        below "$(value ${name}_ErrorsFraction)" 0.01 || echo "${name}_ErrorsFraction is '$(value ${name}_ErrorsFraction)'"
    done
    below "$(value MPIFFT_maxErr)" 16 || echo "MPIFFT_maxErr is '$(value MPIFFT_maxErr)'"
    grep -n 'ERROR\|nan$' hpccoutf.txt | head -3
}

run_hpcc() { # MAP RANKS
    map=$1 ranks=$2
    rm -rf "$work/hpcc" && mkdir "$work/hpcc" && cd "$work/hpcc" || exit 99
    input 200 $(grid_of "$ranks") >hpccinf.txt
    run_options=-v
    if mapped "$map" "$ranks" hpcc; then
        said=$(complaints)
        [ -z "$said" ] || { cp hpccoutf.txt "$output"; fail "hpcc, map $map, $ranks ranks: $said"; }
        planned=$(sed -n 's/^waymark: *\([a-z]*\) *\([0-9]*\) planned.*/\1 \2/p' "$output" | paste -sd, -)
        [ -z "$said" ] && echo "hpcc, map $map, $ranks ranks: valid ($planned)"
    fi
    cd "$build" || exit 99
}

case $# in
0) run_hpcc hierarchy 4 ;;
1) for ranks in 2 3 4 8; do for map in $(shipped_maps); do run_hpcc "$map" $ranks; done; done ;;
*) run_hpcc "$1" "$2" ;;
esac
verdict
