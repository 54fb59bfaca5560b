// SPDX-License-Identifier: BSD-3-Clause
// What mpirun and srun say about the processes that they started.
#pragma once

namespace trill::cli {
int processes_together();  // that were started as one job; 1: this one alone
int processes_beside();    // those of them on this machine, which share its cores
bool is_first_process();   // of processes that were started together, one prints

// Under mpirun, a structure is computed by all processes together: this becomes the program trill-mpi, where it is
// installed beside trill. Returns if there is nothing to hand over.
void hand_over_to_shared(int argc, char** argv);
}  // namespace trill::cli
