// SPDX-License-Identifier: BSD-3-Clause
// The program whose precompiled header all test programs share.
