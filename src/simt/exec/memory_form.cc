// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Reads spaces, scopes, strengths and hints off an instruction, in the order in which PTX has them.
#include "simt/exec/memory_form.h"

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace astitch::simt {

std::optional<Strength> TakeScope(Form& form) {
  if (form.Take("cta")) return Strength::kCta;
  if (form.Take("cluster")) return Strength::kCluster;
  if (form.Take("gpu")) return Strength::kGpu;
  if (form.Take("sys")) return Strength::kSys;
  return std::nullopt;
}

Space TakeMemorySpace(Form& form) {
  if (form.Take("global")) return Space::kGlobal;
  if (form.Take("shared") || form.Take("shared::cta")) return Space::kShared;
  if (form.Take("shared::cluster")) return Space::kSharedCluster;
  if (form.Take("local")) return Space::kLocal;
  if (form.Take("param") || form.Take("param::entry") || form.Take("param::func")) {
    return Space::kParam;
  }
  if (form.Take("const")) return Space::kConst;
  return Space::kGeneric;
}

void TakeCacheHints(Form& form) {
  for (const absl::string_view hint :
       {"ca", "cg", "cs", "lu", "cv", "wb", "wt", "L1::evict_normal", "L1::evict_unchanged",
        "L1::evict_first", "L1::evict_last", "L1::no_allocate", "L2::evict_first", "L2::evict_last",
        "L2::evict_normal", "L2::64B", "L2::128B", "L2::256B"}) {
    const bool taken = form.Take(hint);
    if (taken && (hint == "cs" || hint == "L2::evict_first")) form.op.memory.evict_first = true;
  }
}

namespace {

absl::Status TakeSemantics(Form& form, bool store) {
  MemoryForm& memory = form.op.memory;
  const bool strong = form.Take("relaxed");
  memory.acquire = !store && form.Take("acquire");
  memory.release = store && form.Take("release");
  if (strong || memory.acquire || memory.release) {
    const std::optional<Strength> scope = TakeScope(form);
    if (!scope) return form.Error("expected a scope");
    memory.strength = *scope;
  } else if (form.Take("volatile") || form.Take("mmio")) {
    memory.strength = Strength::kSys;
    form.Take("sys");
  } else {
    form.Take("weak");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status TakeMemoryForm(Form& form, bool store, Type& type) {
  MemoryForm& memory = form.op.memory;
  ASTITCH_RETURN_IF_ERROR(TakeSemantics(form, store));
  memory.space = TakeMemorySpace(form);
  if (!store && form.Take("nc")) {
    if (memory.space != Space::kGlobal) return form.Error(".nc is of global memory");
    memory.non_coherent = true;
  }
  TakeCacheHints(form);
  if (form.Take("v2")) memory.count = 2;
  if (form.Take("v4")) memory.count = 4;
  if (form.Take("v8")) memory.count = 8;
  ASTITCH_RETURN_IF_ERROR(form.NeedType(type));
  const TypeKind kind = KindOf(type);
  const bool scalar = kind == TypeKind::kBits || kind == TypeKind::kSigned ||
                      kind == TypeKind::kUnsigned || type == Type::kF32 || type == Type::kF64;
  if (!scalar) return form.Error("no such form");
  memory.width = static_cast<uint8_t>(TypeBytes(type));
  if (memory.width * memory.count > 32) return form.Error("more than 32 bytes");
  return absl::OkStatus();
}

absl::Status AddMemoryAddress(Form& form, const Operand& operand) {
  ASTITCH_RETURN_IF_ERROR(form.AddAddress(operand));
  if (operand.elements.empty()) return absl::OkStatus();
  const Operand& base = operand.elements[0];
  if (base.kind != Operand::Kind::kModuleVar && base.kind != Operand::Kind::kFunctionVar) {
    return absl::OkStatus();
  }
  Space space;
  ASTITCH_RETURN_IF_ERROR(form.resolver.AddressOf(base, space).status());
  const Space wanted = form.op.memory.space;
  const bool fits = space == wanted || (space == Space::kGlobal && wanted == Space::kGeneric) ||
                    (space == Space::kShared && wanted == Space::kSharedCluster);
  if (fits) return absl::OkStatus();
  return form.Error(
      absl::StrCat(base.name, " is of ", SpaceName(space), " memory, not of ", SpaceName(wanted)));
}

}  // namespace astitch::simt
