;; open-mpi: what Open MPI 4.1 does by its fixed tables, as paths: a model, for 'waymark predict' to show beside a map.
;; The tables are those of its component coll/tuned (coll_tuned_decision_fixed.c), without segments, as they ask for
;; none; what it has no table for goes as in coll/basic. No map to run: (native) is the library itself. Where our
;; shapes have no such algorithm, the nearest is taken, and said to be. Elements are taken to have 8 bytes.

;; A row: more ranks than there are, or any; then an algorithm, bytes from which on it is the next one, and so on.
(define (pick row blocks)
  (if (or (null? (cdr row)) (< bytes (quotient (+ (cadr row) (- blocks 1)) blocks)))
      (car row)
      (pick (cddr row) blocks)))

;; The algorithm of a table, whose bytes are those of so many times the call's.
(define (chosen table blocks)
  (pick (cdr (find (lambda (row) (or (eq? (car row) 'any) (< ranks (car row)))) table)) blocks))

(define (power-of-two) (ash 1 (- (integer-length ranks) 1)))
(define (fewer-elements-than count) (< bytes (* 8 count)))

(define (by name stage) (path (trace name) (remote 'mpi) stage))

(define bcast-table
  '((4 chain 32 binary 256 chain 512 k-nomial 1024 linear 32768 binary 131072 chain 262144 linear 524288 binomial
       1048576 binary)
    (8 binary 64 binomial 128 binary 2048 binomial 8192 linear 1048576 chain)
    (16 k-nomial 8 binary 64 k-nomial 4096 binary 16384 binomial 32768 linear)
    (32 k-nomial 4096 binomial 1048576 scatter-allgather)
    (64 binomial 2048 k-nomial)
    (128 k-nomial)
    (256 binomial 2 binary 16384 linear 32768 binary 65536 k-nomial)
    (1024 k-nomial 16384 split-binary 32768 k-nomial)
    (2048 k-nomial 524288 scatter-allgather)
    (4096 k-nomial 262144 scatter-allgather)
    (any k-nomial 8192 binary 16384 k-nomial)))

(define (bcast-by algorithm)
  (by algorithm
      (case algorithm
        ((linear)            (bcast all #:shape 'flat))
        ((chain)             (bcast all #:shape 'chain))
        ((split-binary)      (bcast all #:shape 'split-binary))
        ((binary)            (bcast all #:shape 'binary))
        ((binomial)          (bcast all #:shape 'binomial))
        ((k-nomial)          (bcast all #:shape (k-nomial 4)))
        (else                (scatter all #:out 'butterfly)))))

(define reduce-table
  '((4 rabenseifner 8 binary 16 chain 32 linear 262144 chain)
    (8 binary 4096 chain 65536 binomial 262144 linear 524288 binomial 1048576 linear)
    (16 binary 8192 binomial)
    (32 binary 4096 binomial)
    (256 binomial)
    (512 binomial 8192 in-order 16384 binomial)
    (2048 binomial)
    (4096 binomial 512 in-order 1024 binomial 8192 in-order 16384 binomial)
    (any binomial 16 in-order 32 binomial 1024 in-order 2048 binomial 8192 in-order 16384 binomial)))

(define ordered-reduce-table
  '((4 in-order 8 linear)
    (8 linear)
    (16 in-order 1024 linear 8192 in-order 16384 linear 262144 in-order)
    (128 in-order)
    (256 in-order 512 linear 1024 in-order)
    (any in-order)))

(define (reduce-tree algorithm)
  (case algorithm
    ((linear)   (reduce all #:shape 'flat))
    ((chain)    (reduce all #:shape 'chain))
    ((binary)   (reduce all #:shape 'binary))
    ((in-order) (reduce all #:shape 'in-order-binary))
    (else       (reduce all #:shape 'binomial))))

;; Rabenseifner's needs an element for each of a power of two of ranks.
(define (reduce-by algorithm)
  (if (eq? algorithm 'rabenseifner)
      (if (fewer-elements-than (power-of-two))
          (by 'linear (reduce all #:shape 'flat))
          (by 'rabenseifner (reduce-scatter all #:shape 'halving)))
      (by algorithm (reduce-tree algorithm))))

(define allreduce-table
  '((4 ring 8 doubling 4096 ring 8192 doubling 16384 ring 262144 rabenseifner)
    (8 ring 16 doubling 8192 rabenseifner)
    (16 doubling 8192 rabenseifner)
    (32 ring 64 doubling 4096 rabenseifner)
    (64 ring 128 rabenseifner)
    (128 doubling 262144 rabenseifner)
    (256 in-turn 131072 doubling 262144 rabenseifner)
    (512 in-turn 4096 rabenseifner)
    (2048 in-turn 2048 doubling 16384 rabenseifner)
    (4096 in-turn 2048 ring 4096 doubling 16384 rabenseifner)
    (any in-turn 2048 ring 16384 doubling 32768 ring)))

(define ordered-allreduce-table
  '((4 doubling 131072 linear)
    (8 doubling)
    (16 doubling 1048576 in-turn)
    (128 doubling)
    (256 in-turn 131072 doubling 524288 in-turn)
    (512 in-turn 4096 doubling 524288 in-turn)
    (any in-turn 2048 doubling)))

;; A ring with fewer elements than ranks is recursive doubling there, Rabenseifner's with too few linear. In turn: its
;; reduce, then its bcast; nearest: both along the tree of the reduce.
(define (allreduce-by algorithm reduces)
  (case algorithm
    ((ring)
     (if (fewer-elements-than ranks) (allreduce-by 'doubling reduces) (by 'ring (allreduce all #:shape 'ring))))
    ((rabenseifner)
     (if (fewer-elements-than (power-of-two))
         (allreduce-by 'linear reduces)
         (by 'rabenseifner (allreduce all #:shape 'halving))))
    ((doubling) (by 'doubling (allreduce all #:shape 'butterfly)))
    ((linear)   (by 'linear (reduce all #:shape 'flat)))
    (else       (by 'in-turn (reduce-tree (chosen reduces 1))))))

;; Of all blocks together. In turn: its reduce, then a scatterv; nearest: both along the tree of the reduce.
(define reduce-scatter-table
  '((4 ring 65536 butterfly 131072 ring)
    (8 in-turn 8 halving 262144 ring)
    (32 halving 262144 ring)
    (64 in-turn 64 halving 2048 butterfly 524288 ring)
    (128 in-turn 256 halving 512 butterfly 2048 halving 4096 butterfly)
    (256 in-turn 256 halving 512 butterfly)
    (512 in-turn 256 halving 1024 butterfly)
    (1024 in-turn 512 halving 2048 butterfly 8192 halving 16384 butterfly)
    (2048 in-turn 512 halving 4096 butterfly 16384 halving 32768 butterfly)
    (4096 in-turn 512 halving 4096 butterfly)
    (any in-turn 1024 halving 8192 butterfly)))

;; Of one block. Doubling: recursive doubling of all; nearest: butterfly. In turn as above.
(define reduce-scatter-block-table
  '((4 butterfly 8 halving 16 butterfly 128 halving 256 butterfly 4096 halving 8192 butterfly 131072 in-turn)
    (8 halving 8 butterfly 256 halving 8192 butterfly 16384 halving 1048576 in-turn)
    (16 in-turn 4 halving 32 butterfly 128 halving 524288 in-turn 4194304 butterfly)
    (32 in-turn 32 halving 524288 in-turn 2097152 halving 4194304 butterfly)
    (any halving 4 in-turn 16 butterfly 65536 in-turn 262144 butterfly)))

(define (reduce-scatter-by algorithm reduces)
  (case algorithm
    ((ring)      (by 'ring (reduce-scatter all #:shape 'ring)))
    ((halving)   (by 'halving (reduce-scatter all #:shape 'halving)))
    ((butterfly) (by 'butterfly (reduce-scatter all #:shape 'butterfly)))
    (else        (by 'in-turn (reduce-tree (chosen reduces ranks))))))

;; Of one block.
(define allgather-table
  '((3 pairwise)
    (32 doubling)
    (64 doubling 1024 neighbours 65536 ring)
    (128 doubling 512 neighbours 65536 ring)
    (256 doubling 512 neighbours 131072 ring 524288 neighbours 1048576 ring)
    (512 doubling 32 bruck 128 doubling 1024 neighbours 131072 ring 524288 neighbours 1048576 ring)
    (1024 doubling 64 bruck 256 doubling 2048 neighbours)
    (2048 doubling 4 bruck 8 doubling 16 bruck 32 doubling 256 bruck 512 doubling 4096 neighbours)
    (4096 bruck 32 doubling 128 bruck 512 doubling 4096 neighbours)
    (any doubling 2 bruck 8 doubling 16 bruck 512 doubling 4096 neighbours)))

;; Of a block, by their mean. Linear: a gatherv, then a bcast, both flat.
(define allgatherv-table
  '((3 ring 2048 pairwise 4096 ring 8192 pairwise)
    (8 linear 256 neighbours 4096 ring 8192 neighbours 16384 bruck 262144 neighbours)
    (16 linear 1024 bruck)
    (32 linear 128 bruck 262144 ring)
    (64 linear 256 bruck 8192 ring)
    (128 linear 256 bruck 4096 ring)
    (256 bruck 1024 neighbours 65536 ring)
    (512 bruck 1024 ring)
    (1024 bruck 512 linear 1024 bruck 4096 neighbours 1048576 ring)
    (any bruck 4096 neighbours)))

;; Recursive doubling needs a power of two of ranks, and is Bruck's elsewhere; neighbours are a ring where ranks are odd.
(define (allgather-by algorithm)
  (case algorithm
    ((doubling)
     (if (= ranks (power-of-two)) (by 'doubling (allgather all #:shape 'butterfly)) (allgather-by 'bruck)))
    ((bruck)      (by 'bruck (allgather all #:shape 'bruck)))
    ((neighbours) (by 'neighbours (allgather all #:shape 'neighbour-exchange)))
    ((ring)       (by 'ring (allgather all #:shape 'ring)))
    ((pairwise)   (by 'pairwise (allgather all #:shape 'pairwise)))
    (else         (by 'linear (gather all #:shape 'flat)))))

;; Of one block. Linear with a limit of requests under way is linear, as the limit is none unless one sets it.
(define alltoall-table
  '((3 pairwise 32768 linear 262144 pairwise)
    (8 linear 524288 pairwise 1048576 linear)
    (16 linear)
    (32 linear 4 bruck 512 linear)
    (64 bruck 512 linear)
    (256 bruck 1024 linear 262144 pairwise)
    (512 bruck 1024 linear 32768 pairwise)
    (1024 bruck 512 linear 262144 pairwise)
    (2048 bruck 512 linear)
    (4096 bruck 1024 linear)
    (any bruck 2048 linear)))

(define (alltoall-by algorithm)
  (case algorithm
    ((bruck)    (by 'bruck (alltoall all #:shape 'bruck)))
    ((pairwise) (by 'pairwise (alltoall all #:shape 'pairwise)))
    (else       (by 'linear (alltoall all #:shape 'flat)))))

(define (pairwise-v?)
  (or (< ranks 4) (and (>= ranks 64) (< ranks 128)) (and (>= ranks 256) (< ranks 1024))))

;; Of one block. Linear that answers a first piece of each; nearest: linear.
(define gather-table
  '((4 linear 4 binomial 32768 linear 65536 binomial 131072 linear)
    (8 binomial 1024 linear 8192 binomial 32768 linear)
    (256 binomial)
    (512 binomial 2048 linear 8192 binomial)
    (any binomial)))

(define scatter-table
  '((4 linear)
    (8 binomial 2048 linear 4096 binomial 8192 linear)
    (16 binomial 16384 linear)
    (32 binomial 16384 linear)
    (64 binomial 512 linear 8192 binomial 16384 linear)
    (any binomial 512 linear)))

(path-map
  (on barrier
    ((or (< ranks 4) (and (>= ranks 8) (< ranks 64))) (by 'doubling (barrier all #:shape 'butterfly)))
    ((< ranks 8) (by 'linear (barrier all #:shape 'flat)))
    ((or (and (>= ranks 256) (< ranks 512)) (and (>= ranks 1024) (< ranks 4096)))
     (by 'binomial (barrier all #:shape 'binomial)))
    (else (by 'bruck (barrier all #:shape 'dissemination))))
  (on bcast (else (bcast-by (chosen bcast-table 1))))
  (on reduce
    (commutative? (reduce-by (chosen reduce-table 1)))
    (else         (reduce-by (chosen ordered-reduce-table 1))))
  (on allreduce
    (commutative? (allreduce-by (chosen allreduce-table 1) reduce-table))
    (else         (allreduce-by (chosen ordered-allreduce-table 1) ordered-reduce-table)))
  (on reduce-scatter
    (commutative? (reduce-scatter-by (chosen reduce-scatter-table ranks) reduce-table))
    (else         (reduce-scatter-by 'in-turn ordered-reduce-table)))
  (on reduce-scatter-block
    (commutative? (reduce-scatter-by (chosen reduce-scatter-block-table 1) reduce-table))
    (else         (reduce-scatter-by 'in-turn ordered-reduce-table)))
  (on allgather  (else (allgather-by (chosen allgather-table 1))))
  (on allgatherv (else (allgather-by (chosen allgatherv-table 1))))
  (on alltoall   (else (alltoall-by (chosen alltoall-table 1))))
  (on alltoallv
    ((pairwise-v?) (alltoall-by 'pairwise))
    (else          (alltoall-by 'linear)))
  (on alltoallw (else (alltoall-by 'linear)))
  (on gather
    ((eq? (chosen gather-table 1) 'binomial) (by 'binomial (gather all #:shape 'binomial)))
    (else                                    (by 'linear (gather all #:shape 'flat))))
  (on scatter
    ((eq? (chosen scatter-table 1) 'binomial) (by 'binomial (scatter all #:shape 'binomial)))
    (else                                     (by 'linear (scatter all #:shape 'flat))))
  (on gatherv  (else (by 'linear (gather all #:shape 'flat))))
  (on scatterv (else (by 'linear (scatter all #:shape 'flat))))
  (on (scan exscan) (else (by 'linear (scan all #:shape 'chain))))
  (on (neighbor-allgather neighbor-allgatherv neighbor-alltoall neighbor-alltoallv neighbor-alltoallw)
    (else (by 'linear (neighbor all #:shape 'flat)))))
