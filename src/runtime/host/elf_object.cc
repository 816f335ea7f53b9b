// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Structures are copied out of the bytes, never pointed into: nothing says that they are aligned.
#include "runtime/host/elf_object.h"

#include <elf.h>

#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace astitch {
namespace {

constexpr uint64_t kMaxAlign = 4096;
constexpr uint64_t kMaxSectionBytes = uint64_t{1} << 30;

absl::Status Bad(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("object: ", what));
}

absl::Status Unsupported(absl::string_view what) {
  return absl::UnimplementedError(absl::StrCat("object: ", what));
}

using Bytes = absl::Span<const std::byte>;

absl::StatusOr<Bytes> Range(Bytes bytes, uint64_t offset, uint64_t size, absl::string_view what) {
  if (offset > bytes.size() || size > bytes.size() - offset) {
    return Bad(absl::StrCat("expected ", what, " within ", bytes.size(), " bytes, got offset ",
                            offset, " and size ", size));
  }
  return bytes.subspan(offset, size);
}

// REQUIRES: (index + 1) * sizeof(T) <= table.size().
template <typename T>
T Entry(Bytes table, uint64_t index) {
  T out;
  std::memcpy(&out, table.data() + index * sizeof(T), sizeof(T));
  return out;
}

// The zero-terminated string at OFFSET of a string table.
absl::StatusOr<std::string> StringAt(Bytes table, uint64_t offset) {
  if (offset < table.size()) {
    const char* begin = reinterpret_cast<const char*>(table.data()) + offset;
    if (const void* end = std::memchr(begin, 0, table.size() - offset)) {
      return std::string(begin, static_cast<const char*>(end));
    }
  }
  return Bad(
      absl::StrCat("expected a string within ", table.size(), " bytes, got offset ", offset));
}

absl::Status CheckHeader(const Elf64_Ehdr& header) {
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return Bad("expected the ELF magic");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
    return Unsupported("expected 64-bit little-endian ELF");
  }
  if (header.e_type != ET_REL) {
    return Unsupported(absl::StrCat("expected a relocatable object, got ELF type ", header.e_type));
  }
  if (header.e_machine != EM_X86_64) {
    return Unsupported(absl::StrCat("unsupported machine ", header.e_machine,
                                    header.e_machine == EM_AARCH64 ? " (aarch64)" : "",
                                    ", expected ", EM_X86_64, " (x86-64)"));
  }
  if (header.e_shentsize != sizeof(Elf64_Shdr)) {
    return Bad(absl::StrCat("expected section headers of ", sizeof(Elf64_Shdr), " bytes, got ",
                            header.e_shentsize));
  }
  return absl::OkStatus();
}

class Parser {
 public:
  explicit Parser(Bytes bytes) : bytes_(bytes) {}

  absl::StatusOr<ElfObject> Parse() {
    ASTITCH_RETURN_IF_ERROR(ReadSections());
    ASTITCH_RETURN_IF_ERROR(ReadSymbols());
    ASTITCH_RETURN_IF_ERROR(ReadRelocations());
    return std::move(object_);
  }

 private:
  absl::Status ReadSections() {
    ASTITCH_ASSIGN_OR_RETURN(const Bytes head, Range(bytes_, 0, sizeof(Elf64_Ehdr), "ELF header"));
    const Elf64_Ehdr header = Entry<Elf64_Ehdr>(head, 0);
    ASTITCH_RETURN_IF_ERROR(CheckHeader(header));
    ASTITCH_ASSIGN_OR_RETURN(const Bytes table,
                             Range(bytes_, header.e_shoff,
                                   uint64_t{header.e_shnum} * sizeof(Elf64_Shdr), "section table"));
    for (uint64_t i = 0; i < header.e_shnum; ++i) headers_.push_back(Entry<Elf64_Shdr>(table, i));
    ASTITCH_ASSIGN_OR_RETURN(const Bytes names, TableOf(header.e_shstrndx, SHT_STRTAB));
    for (const Elf64_Shdr& h : headers_) {
      ASTITCH_ASSIGN_OR_RETURN(ElfSection section, ReadSection(h, names));
      object_.sections.push_back(std::move(section));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<ElfSection> ReadSection(const Elf64_Shdr& h, Bytes names) {
    ElfSection section;
    if (h.sh_type == SHT_NULL) return section;
    ASTITCH_ASSIGN_OR_RETURN(section.name, StringAt(names, h.sh_name));
    section.type = h.sh_type;
    section.flags = h.sh_flags;
    section.size = h.sh_size;
    section.align = h.sh_addralign == 0 ? 1 : h.sh_addralign;
    const bool unwind = h.sh_type == SHT_X86_64_UNWIND || section.name == ".eh_frame";
    section.loaded = (h.sh_flags & SHF_ALLOC) != 0 && h.sh_type != SHT_NOTE && !unwind;
    if (h.sh_type != SHT_NOBITS) {
      ASTITCH_ASSIGN_OR_RETURN(section.data,
                               Range(bytes_, h.sh_offset, h.sh_size, "section " + section.name));
    }
    if (!section.loaded) return section;
    ASTITCH_RETURN_IF_ERROR(CheckLoaded(section));
    return section;
  }

  static absl::Status CheckLoaded(const ElfSection& section) {
    if (section.size > kMaxSectionBytes) {
      return Bad(absl::StrCat("expected section ", section.name, " of at most 2^30 bytes, got ",
                              section.size));
    }
    if (section.align > kMaxAlign || (section.align & (section.align - 1)) != 0) {
      return Bad(absl::StrCat("expected an alignment of section ", section.name,
                              " that is a power of two up to 4096, got ", section.align));
    }
    if ((section.flags & SHF_TLS) != 0) {
      return Unsupported(absl::StrCat("thread-local data in section ", section.name));
    }
    if ((section.flags & SHF_COMPRESSED) != 0) {
      return Unsupported(absl::StrCat("compressed section ", section.name));
    }
    if (section.type != SHT_PROGBITS && section.type != SHT_NOBITS && section.size != 0) {
      return Unsupported(absl::StrCat("section ", section.name, " of type ", section.type));
    }
    if ((section.flags & (SHF_WRITE | SHF_EXECINSTR)) == (SHF_WRITE | SHF_EXECINSTR)) {
      return Unsupported(absl::StrCat("section ", section.name, " both writable and executable"));
    }
    return absl::OkStatus();
  }

  // The bytes of section INDEX, which must be of TYPE.
  absl::StatusOr<Bytes> TableOf(uint64_t index, uint32_t type) {
    if (index >= headers_.size() || headers_[index].sh_type != type) {
      return Bad(absl::StrCat("expected a section of type ", type, " at index ", index, " of ",
                              headers_.size()));
    }
    return Range(bytes_, headers_[index].sh_offset, headers_[index].sh_size, "table");
  }

  absl::Status ReadSymbols() {
    for (uint64_t i = 0; i < headers_.size(); ++i) {
      if (headers_[i].sh_type != SHT_SYMTAB) continue;
      if (symbol_table_ != 0) return Bad("expected one symbol table, got two");
      symbol_table_ = i;
    }
    if (symbol_table_ == 0) return absl::OkStatus();
    ASTITCH_ASSIGN_OR_RETURN(const Bytes table, TableOf(symbol_table_, SHT_SYMTAB));
    ASTITCH_ASSIGN_OR_RETURN(const Bytes names,
                             TableOf(headers_[symbol_table_].sh_link, SHT_STRTAB));
    for (uint64_t i = 0; i < table.size() / sizeof(Elf64_Sym); ++i) {
      const Elf64_Sym raw = Entry<Elf64_Sym>(table, i);
      ElfSymbol symbol;
      ASTITCH_ASSIGN_OR_RETURN(symbol.name, StringAt(names, raw.st_name));
      symbol.type = ELF64_ST_TYPE(raw.st_info);
      symbol.binding = ELF64_ST_BIND(raw.st_info);
      symbol.section = raw.st_shndx;
      symbol.value = raw.st_value;
      ASTITCH_RETURN_IF_ERROR(CheckSymbol(symbol));
      object_.symbols.push_back(std::move(symbol));
    }
    return absl::OkStatus();
  }

  absl::Status CheckSymbol(const ElfSymbol& symbol) {
    if (symbol.section == SHN_UNDEF || symbol.section == SHN_ABS) return absl::OkStatus();
    if (symbol.section >= object_.sections.size()) {
      if (symbol.section == SHN_COMMON) {
        return Unsupported(absl::StrCat("common symbol ", symbol.name));
      }
      return Bad(absl::StrCat("expected symbol ", symbol.name, " in a section below ",
                              object_.sections.size(), ", got ", symbol.section));
    }
    const ElfSection& section = object_.sections[symbol.section];
    if (section.loaded && symbol.value > section.size) {
      return Bad(absl::StrCat("expected symbol ", symbol.name, " within ", section.size,
                              " bytes of section ", section.name, ", got ", symbol.value));
    }
    if (symbol.type == STT_GNU_IFUNC || symbol.type == STT_TLS) {
      return Unsupported(absl::StrCat("symbol ", symbol.name, " of type ", symbol.type));
    }
    return absl::OkStatus();
  }

  absl::Status ReadRelocations() {
    for (uint64_t i = 0; i < headers_.size(); ++i) {
      const Elf64_Shdr& h = headers_[i];
      if (h.sh_type != SHT_RELA && h.sh_type != SHT_REL) continue;
      if (h.sh_info >= object_.sections.size()) {
        return Bad(absl::StrCat("expected relocations of a section below ", object_.sections.size(),
                                ", got ", h.sh_info));
      }
      const ElfSection& target = object_.sections[h.sh_info];
      if (!target.loaded) continue;
      if (h.sh_type == SHT_REL) return Unsupported("relocations without addend");
      if (h.sh_link != symbol_table_ || symbol_table_ == 0) {
        return Bad(absl::StrCat("expected relocations against symbol table ", symbol_table_,
                                ", got ", h.sh_link));
      }
      ASTITCH_ASSIGN_OR_RETURN(const Bytes table, TableOf(i, SHT_RELA));
      for (uint64_t r = 0; r < table.size() / sizeof(Elf64_Rela); ++r) {
        ASTITCH_RETURN_IF_ERROR(AddRelocation(h.sh_info, target, Entry<Elf64_Rela>(table, r)));
      }
    }
    return absl::OkStatus();
  }

  absl::Status AddRelocation(uint32_t section, const ElfSection& target, const Elf64_Rela& raw) {
    const uint32_t type = ELF64_R_TYPE(raw.r_info);
    if (type == R_X86_64_NONE) return absl::OkStatus();
    if (raw.r_offset > target.data.size()) {
      return Bad(absl::StrCat("expected a relocation within ", target.data.size(),
                              " bytes of section ", target.name, ", got ", raw.r_offset));
    }
    const uint32_t symbol = ELF64_R_SYM(raw.r_info);
    if (symbol >= object_.symbols.size()) {
      return Bad(absl::StrCat("expected a relocation against a symbol below ",
                              object_.symbols.size(), ", got ", symbol));
    }
    object_.relocations.push_back({section, raw.r_offset, type, symbol, raw.r_addend});
    return absl::OkStatus();
  }

  const Bytes bytes_;
  std::vector<Elf64_Shdr> headers_;
  uint64_t symbol_table_ = 0;  // 0, which is no section, when there is none
  ElfObject object_;
};

}  // namespace

absl::StatusOr<ElfObject> ParseElfObject(absl::Span<const std::byte> bytes) {
  return Parser(bytes).Parse();
}

}  // namespace astitch
