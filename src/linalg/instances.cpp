// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/instances.hpp"

TRILL_INSTANCES(template);
