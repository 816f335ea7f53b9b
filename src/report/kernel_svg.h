// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A kernel as an SVG picture: its stages as bands, its values as boxes, its edges coloured by home.
#pragma once

#include <string>

#include "report/kernel_drawing.h"

namespace astitch {

// The style sheet of the page (page_style.h) colours it.
std::string KernelSvg(const KernelPlan& kernel, const KernelDrawing& drawing);

// A sample of each home's line with its word.
std::string LegendSvg();

}  // namespace astitch
