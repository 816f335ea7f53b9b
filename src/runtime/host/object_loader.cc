// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Layout, then copy, then relocate, then protect. Formulas of relocations are those of the x86-64
// psABI: S symbol, A addend, P place, G slot of the symbol in the offset table, GOT its start.
#include "runtime/host/object_loader.h"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/checked_math.h"
#include "base/status.h"
#include "runtime/host/elf_object.h"

namespace astitch {
namespace {

constexpr uint64_t kMaxImageBytes = uint64_t{1} << 30;  // 32-bit distances reach all of it
constexpr char kOffsetTable[] = "_GLOBAL_OFFSET_TABLE_";

enum Segment { kCode, kReadOnly, kData, kNumSegments };

Segment SegmentOf(const ElfSection& section) {
  if ((section.flags & SHF_EXECINSTR) != 0) return kCode;
  if ((section.flags & SHF_WRITE) == 0) return kReadOnly;
  return absl::StartsWith(section.name, ".data.rel.ro") ? kReadOnly : kData;
}

bool NeedsTableSlot(uint32_t type) {
  return type == R_X86_64_GOTPCREL || type == R_X86_64_GOTPCRELX ||
         type == R_X86_64_REX_GOTPCRELX || type == R_X86_64_GOT64 || type == R_X86_64_GOT32;
}

bool IsAbsolute32(uint32_t type) { return type == R_X86_64_32 || type == R_X86_64_32S; }

absl::Status SystemError(absl::string_view call) {
  return absl::InternalError(absl::StrCat("object: ", call, ": ", std::strerror(errno)));
}

class Loader {
 public:
  explicit Loader(const ElfObject& object) : object_(object) {}
  ~Loader() {
    if (base_ != nullptr) munmap(base_, bytes_);
  }

  absl::StatusOr<std::unique_ptr<LoadedObject>> Load() {
    ASTITCH_RETURN_IF_ERROR(CheckSymbols());
    ASTITCH_RETURN_IF_ERROR(LayOut());
    ASTITCH_RETURN_IF_ERROR(Map());
    Copy();
    for (const ElfRelocation& r : object_.relocations) {
      ASTITCH_RETURN_IF_ERROR(Relocate(r));
    }
    ASTITCH_RETURN_IF_ERROR(Protect());
    auto loaded = std::make_unique<LoadedObject>(base_, bytes_, Functions());
    base_ = nullptr;
    return loaded;
  }

 private:
  // Every symbol that a relocation names is there, or is the offset table itself.
  absl::Status CheckSymbols() {
    std::set<std::string> undefined;
    for (const ElfRelocation& r : object_.relocations) {
      const ElfSymbol& symbol = object_.symbols[r.symbol];
      if (symbol.section == SHN_ABS) continue;
      if (symbol.section == SHN_UNDEF) {
        if (symbol.name == kOffsetTable) continue;
        undefined.insert(symbol.name.empty() ? "(unnamed)" : symbol.name);
      } else if (!object_.sections[symbol.section].loaded) {
        return absl::InvalidArgumentError(
            absl::StrCat("object: section ", object_.sections[r.section].name, " refers to ",
                         object_.sections[symbol.section].name, ", which is not loaded"));
      }
      if (NeedsTableSlot(r.type)) slots_.emplace(r.symbol, slots_.size());
      needs_low_addresses_ |= IsAbsolute32(r.type);
    }
    if (undefined.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("object: undefined symbols: ", absl::StrJoin(undefined, ", ")));
  }

  absl::Status LayOut() {
    const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    place_.assign(object_.sections.size(), 0);
    uint64_t at = 0;
    const auto advance = [&at](uint64_t align, uint64_t size) {
      const uint64_t begin = (at + align - 1) / align * align;
      at = begin + size;  // no overflow: align <= page, size <= 2^30, at <= 2^30
      return begin;
    };
    for (int segment = 0; segment < kNumSegments; ++segment) {
      start_[segment] = advance(page, 0);
      if (segment == kReadOnly) table_ = advance(8, 8 * slots_.size());
      for (size_t i = 0; i < object_.sections.size(); ++i) {
        const ElfSection& section = object_.sections[i];
        if (!section.loaded || SegmentOf(section) != segment) continue;
        place_[i] = advance(section.align, section.size);
        if (at > kMaxImageBytes) {
          return absl::InvalidArgumentError("object: expected at most 2^30 bytes of sections");
        }
      }
    }
    start_[kNumSegments] = advance(page, 0);
    bytes_ = std::max(start_[kNumSegments], page);
    return absl::OkStatus();
  }

  absl::Status Map() {
    // Absolute 32-bit addresses exist in the low 2 GiB only; the flag asks for them.
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (needs_low_addresses_ ? MAP_32BIT : 0);
    void* base = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (base == MAP_FAILED) return SystemError("mmap");
    base_ = static_cast<std::byte*>(base);
    return absl::OkStatus();
  }

  void Copy() {
    for (size_t i = 0; i < object_.sections.size(); ++i) {
      const ElfSection& section = object_.sections[i];
      if (section.loaded && !section.data.empty()) {
        std::memcpy(base_ + place_[i], section.data.data(), section.data.size());
      }
    }
    for (const auto& [symbol, slot] : slots_) {
      const uint64_t address = AddressOf(object_.symbols[symbol]);
      std::memcpy(base_ + table_ + 8 * slot, &address, 8);
    }
  }

  uint64_t Base() const { return reinterpret_cast<uint64_t>(base_); }

  uint64_t AddressOf(const ElfSymbol& symbol) const {
    if (symbol.section == SHN_ABS) return symbol.value;
    if (symbol.section == SHN_UNDEF) return Base() + table_;  // the offset table: see CheckSymbols
    return Base() + place_[symbol.section] + symbol.value;
  }

  absl::Status Relocate(const ElfRelocation& r) {
    const uint64_t place = place_[r.section] + r.offset;
    const uint64_t p = Base() + place, table = Base() + table_;
    const uint64_t s = AddressOf(object_.symbols[r.symbol]);
    const uint64_t a = static_cast<uint64_t>(r.addend);  // sums wrap, as addresses do
    const auto slot = [&] { return table_ + 8 * slots_.at(r.symbol); };
    switch (r.type) {
      case R_X86_64_64:
        return Store64(r, s + a);
      case R_X86_64_PC64:
        return Store64(r, s + a - p);
      case R_X86_64_GOTOFF64:
      case R_X86_64_PLTOFF64:
        return Store64(r, s + a - table);
      case R_X86_64_GOTPC64:
        return Store64(r, table + a - p);
      case R_X86_64_GOT64:
        return Store64(r, slot() + a - table_);
      case R_X86_64_32:
        return Store32(r, s + a, 0, std::numeric_limits<uint32_t>::max());
      case R_X86_64_32S:
        return StoreSigned32(r, s + a);
      case R_X86_64_PC32:
      case R_X86_64_PLT32:  // all code is ours and near: no stubs are needed
        return StoreSigned32(r, s + a - p);
      case R_X86_64_GOTPC32:
        return StoreSigned32(r, table + a - p);
      case R_X86_64_GOT32:
        return StoreSigned32(r, slot() + a - table_);
      case R_X86_64_GOTPCREL:
      case R_X86_64_GOTPCRELX:
      case R_X86_64_REX_GOTPCRELX:
        return StoreSigned32(r, Base() + slot() + a - p);
      default:
        return absl::UnimplementedError(absl::StrCat("object: relocation of type ", r.type,
                                                     " in section ",
                                                     object_.sections[r.section].name));
    }
  }

  absl::Status Store(const ElfRelocation& r, const void* value, uint64_t size) {
    const ElfSection& section = object_.sections[r.section];
    if (size > section.data.size() - r.offset) {
      return absl::InvalidArgumentError(absl::StrCat("object: relocation at ", r.offset,
                                                     " passes the end of section ", section.name));
    }
    std::memcpy(base_ + place_[r.section] + r.offset, value, size);
    return absl::OkStatus();
  }

  absl::Status Store64(const ElfRelocation& r, uint64_t value) { return Store(r, &value, 8); }

  absl::Status StoreSigned32(const ElfRelocation& r, uint64_t value) {
    return Store32(r, value, std::numeric_limits<int32_t>::min(),
                   std::numeric_limits<int32_t>::max());
  }

  absl::Status Store32(const ElfRelocation& r, uint64_t value, int64_t low, int64_t high) {
    const int64_t number = static_cast<int64_t>(value);
    if (number < low || number > high) {
      return absl::InvalidArgumentError(absl::StrCat("object: relocation of type ", r.type,
                                                     " against ", object_.symbols[r.symbol].name,
                                                     " does not fit 32 bits: ", number));
    }
    const uint32_t bits = static_cast<uint32_t>(value);
    return Store(r, &bits, 4);
  }

  absl::Status Protect() {
    const std::array<int, kNumSegments> protection = {PROT_READ | PROT_EXEC, PROT_READ,
                                                      PROT_READ | PROT_WRITE};
    for (int segment = 0; segment < kNumSegments; ++segment) {
      const uint64_t size = start_[segment + 1] - start_[segment];
      if (size != 0 && mprotect(base_ + start_[segment], size, protection[segment]) != 0) {
        return SystemError("mprotect");
      }
    }
    return absl::OkStatus();
  }

  std::map<std::string, void*, std::less<>> Functions() const {
    std::map<std::string, void*, std::less<>> out;
    for (const ElfSymbol& symbol : object_.symbols) {
      if (symbol.binding == STB_LOCAL || symbol.section == SHN_UNDEF || symbol.section == SHN_ABS ||
          symbol.name.empty()) {
        continue;
      }
      const ElfSection& section = object_.sections[symbol.section];
      if (!section.loaded || SegmentOf(section) != kCode || symbol.value >= section.size) continue;
      out.emplace(symbol.name, base_ + place_[symbol.section] + symbol.value);
    }
    return out;
  }

  const ElfObject& object_;
  std::map<uint32_t, uint64_t> slots_;  // symbol -> slot of the offset table
  bool needs_low_addresses_ = false;
  std::vector<uint64_t> place_;                        // of each section, from the base
  std::array<uint64_t, kNumSegments + 1> start_ = {};  // of each segment, and the end
  uint64_t table_ = 0;
  uint64_t bytes_ = 0;
  std::byte* base_ = nullptr;
};

}  // namespace

LoadedObject::LoadedObject(void* base, size_t bytes,
                           std::map<std::string, void*, std::less<>> functions)
    : base_(base), bytes_(bytes), functions_(std::move(functions)) {}

LoadedObject::~LoadedObject() { munmap(base_, bytes_); }

void* LoadedObject::Find(absl::string_view symbol) const {
  const auto it = functions_.find(std::string(symbol));
  return it == functions_.end() ? nullptr : it->second;
}

absl::StatusOr<std::unique_ptr<LoadedObject>> LoadObject(absl::Span<const std::byte> bytes) {
  ASTITCH_ASSIGN_OR_RETURN(const ElfObject object, ParseElfObject(bytes));
  return Loader(object).Load();
}

}  // namespace astitch
