// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// For loops over long vectors: uses wider vectors if the machine has them. Files with such loops are compiled with -O3
// and with every operation rounded on its own, so that all machines give the same bits. Sanitizers do not work with the
// resolvers of target_clones.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define TRILL_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define TRILL_WIDE
#endif
