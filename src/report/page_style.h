// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The style sheet of the report: one list of colours for light and one for dark, as the reader's
// system asks for.
#pragma once

#include "absl/strings/string_view.h"

namespace astitch {

inline constexpr absl::string_view kPageStyle = R"css(
:root{color-scheme:light dark;--paper:#fff;--ink:#1d2430;--soft:#5a6575;--line:#d5dae2;--even:#f4f6f9;
--odd:#ebeff5;--box:#fff;--boxline:#8a94a6;--local:#8a94a6;--regional:#178a50;--cluster:#8250c8;
--block:#7d8a0c;--global:#cf2f3b;--output:#c46a00;--kept:#0a8a94;--memory:#2463d6;--read:#2463d6;
--written:#c46a00;--bound:#1d2430}
@media(prefers-color-scheme:dark){:root{--paper:#14181f;--ink:#e4e8ef;--soft:#a0abbb;--line:#39414e;
--even:#1b2029;--odd:#222834;--box:#14181f;--boxline:#78849a;--local:#8793a6;--regional:#3fc983;
--cluster:#b794f4;--block:#c3d143;--global:#ff6b74;--output:#f0a13c;--kept:#3bc4cf;--memory:#6ea1ff;
--read:#6ea1ff;--written:#f0a13c;--bound:#e4e8ef}}
body{margin:0 auto;padding:24px;max-width:1720px;background:var(--paper);color:var(--ink);
font:15px/1.5 system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
h1{font-size:24px;margin:0 0 4px}h2{font-size:19px;margin:36px 0 8px;border-bottom:1px solid var(--line)}
p{margin:6px 0;max-width:1000px}.soft{color:var(--soft)}
code,.mono,svg text{font-family:ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace}
code{font-size:13px}
table{border-collapse:collapse;margin:8px 0}th,td{padding:3px 12px 3px 0;text-align:left;
vertical-align:top;font-size:14px}th{color:var(--soft);font-weight:500;border-bottom:1px solid var(--line)}
td.n,th.n{text-align:right;white-space:nowrap}td.w{max-width:520px}
td code{overflow-wrap:anywhere}
.scroll{overflow-x:auto}
details{margin:10px 0;border:1px solid var(--line);border-radius:6px;padding:4px 12px}
summary{cursor:pointer;padding:4px 0}summary b{margin-right:10px}
dl{display:flex;flex-wrap:wrap;gap:4px 34px;margin:12px 0}dt{color:var(--soft);font-size:13px}
dd{margin:0;font-size:17px}
svg{display:block}svg text{font-size:11px;fill:var(--ink)}
.n rect{fill:var(--box);stroke:var(--boxline)}.n text{text-anchor:middle}
.n .a{font-weight:600}.n .b{font-size:10px;fill:var(--soft)}
.n.in rect{stroke:var(--memory);stroke-width:1.5}.n.out rect{stroke:var(--output);stroke-width:2.5}
.n.root rect{stroke:var(--ink);stroke-width:2}
.band{stroke:none}.band.even{fill:var(--even)}.band.odd{fill:var(--odd)}
path.stage{stroke:var(--line);stroke-width:1.5;stroke-dasharray:5 4}
path.phase{stroke:var(--global);stroke-width:2.5}path.own{stroke:var(--soft);stroke-width:2.5}
path.first{stroke:none}
text.s{fill:var(--soft)}text.p{font-weight:700;font-size:12px}
.e{fill:none;stroke-width:1.7}.again{stroke-dasharray:4 3}.h{stroke:none}
.e.local{stroke:var(--local);stroke-width:1.2}.h.local{fill:var(--local)}
.e.regional{stroke:var(--regional)}.h.regional{fill:var(--regional)}
.e.cluster{stroke:var(--cluster)}.h.cluster{fill:var(--cluster)}
.e.block{stroke:var(--block)}.h.block{fill:var(--block)}
.e.global{stroke:var(--global)}.h.global{fill:var(--global)}
.e.output{stroke:var(--output)}.h.output{fill:var(--output)}
.e.kept{stroke:var(--kept)}.h.kept{fill:var(--kept)}
.e.memory{stroke:var(--memory)}.h.memory{fill:var(--memory)}
.bar .r{fill:var(--read)}.bar .w{fill:var(--written)}.bar .t{stroke:var(--bound);stroke-width:2}
)css";

}  // namespace astitch
