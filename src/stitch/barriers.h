// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Barriers: before which phases blocks wait for each other, or the threads of a block do.
#pragma once

#include "stitch/phases.h"
#include "stitch/region_info.h"

namespace astitch {

// One barrier is enough for all phases that wait for the same ones: a phase has one if it reads what was
// written behind the last. REQUIRES: homes and reads of DRAFT are final.
void SetBarriers(const RegionInfo& info, KernelDraft& draft);

}  // namespace astitch
