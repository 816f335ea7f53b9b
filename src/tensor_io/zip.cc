// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The records of the zip format, field by field; inflate and CRC come from zlib.
#include "tensor_io/zip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace astitch {
namespace {

constexpr uint32_t kLocalHeader = 0x04034b50, kDirectoryHeader = 0x02014b50;
constexpr uint32_t kEndRecord = 0x06054b50, kEnd64Record = 0x06064b50, kEnd64Locator = 0x07064b50;
constexpr size_t kLocalSize = 30, kDirectorySize = 46, kEndSize = 22;
constexpr size_t kEnd64Size = 56, kLocatorSize = 20;
constexpr uint32_t kMax32 = 0xffffffff;
constexpr uint16_t kMax16 = 0xffff, kZip64Extra = 1;
constexpr uint16_t kStored = 0, kDeflated = 8, kEncrypted = 1;
// One bit of deflate data stands for at most 258 bytes / 2 bits: 1032 to 1.
constexpr uint64_t kMaxRatio = 1032;
constexpr uint16_t kDate = 1 << 5 | 1;  // 1980-01-01, the format's first day

absl::Status Bad(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("not a valid zip archive: ", what));
}

// REQUIRES: at + bytes <= text.size().
uint64_t Get(absl::string_view text, size_t at, int bytes) {
  uint64_t value = 0;
  for (int i = bytes - 1; i >= 0; --i) value = value << 8 | static_cast<uint8_t>(text[at + i]);
  return value;
}

void Put(std::string& out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i) & 0xff));
}

struct End {
  uint64_t count = 0, directory_size = 0, directory_offset = 0;
};

absl::StatusOr<End> FindEnd(absl::string_view file) {
  if (file.size() < kEndSize) return Bad("it is too short");
  const size_t lowest = file.size() - std::min<size_t>(file.size(), kEndSize + kMax16);
  size_t at = file.size() - kEndSize;
  while (Get(file, at, 4) != kEndRecord || at + kEndSize + Get(file, at + 20, 2) != file.size()) {
    if (at == lowest) return Bad("it has no end record (is the file truncated?)");
    --at;
  }
  End end{Get(file, at + 10, 2), Get(file, at + 12, 4), Get(file, at + 16, 4)};
  const bool zip64 =
      end.count == kMax16 || end.directory_size == kMax32 || end.directory_offset == kMax32;
  if (!zip64 || at < kLocatorSize || Get(file, at - kLocatorSize, 4) != kEnd64Locator) return end;
  const uint64_t at64 = Get(file, at - kLocatorSize + 8, 8);
  if (at64 > file.size() - kEnd64Size || Get(file, at64, 4) != kEnd64Record) {
    return Bad("its zip64 end record is missing");
  }
  return End{Get(file, at64 + 32, 8), Get(file, at64 + 40, 8), Get(file, at64 + 48, 8)};
}

// Replaces the fields that read 2^32-1 by those of the zip64 extra block.
absl::Status ReadZip64Extra(absl::string_view extra, std::vector<uint64_t*> fields) {
  fields.erase(std::remove_if(fields.begin(), fields.end(),
                              [](const uint64_t* field) { return *field != kMax32; }),
               fields.end());
  if (fields.empty()) return absl::OkStatus();
  while (extra.size() >= 4) {
    const size_t size = Get(extra, 2, 2);
    if (extra.size() < 4 + size) break;
    if (Get(extra, 0, 2) == kZip64Extra) {
      if (size < 8 * fields.size()) break;
      for (size_t i = 0; i < fields.size(); ++i) *fields[i] = Get(extra, 4 + 8 * i, 8);
      return absl::OkStatus();
    }
    extra.remove_prefix(4 + size);
  }
  return Bad("an entry's zip64 sizes are missing");
}

absl::StatusOr<std::string> Inflate(absl::string_view packed, uint64_t size) {
  std::string out(size, '\0');
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return absl::InternalError("zlib cannot start");
  constexpr uint64_t kStep = std::numeric_limits<uInt>::max();
  uint64_t read = 0, written = 0;
  int state = Z_OK;
  while (state == Z_OK) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + read));
    stream.avail_in = static_cast<uInt>(std::min<uint64_t>(packed.size() - read, kStep));
    stream.next_out = reinterpret_cast<Bytef*>(&out[0] + written);
    stream.avail_out = static_cast<uInt>(std::min<uint64_t>(size - written, kStep));
    const uInt in = stream.avail_in, room = stream.avail_out;
    state = inflate(&stream, Z_NO_FLUSH);
    read += in - stream.avail_in;
    written += room - stream.avail_out;
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END || written != size) return Bad("an entry's deflated data is corrupt");
  return out;
}

uint32_t Crc(absl::string_view data) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size()));
}

}  // namespace

absl::StatusOr<ZipArchive> ZipArchive::Open(absl::string_view file) {
  ASTITCH_ASSIGN_OR_RETURN(const End end, FindEnd(file));
  ZipArchive archive;
  archive.file_ = file;
  ASTITCH_RETURN_IF_ERROR(
      archive.ReadDirectory(end.directory_offset, end.directory_size, end.count));
  return archive;
}

absl::Status ZipArchive::ReadDirectory(uint64_t offset, uint64_t size, uint64_t count) {
  if (offset > file_.size() || size > file_.size() - offset) return Bad("its directory is missing");
  absl::string_view directory = file_.substr(offset, size);
  for (uint64_t i = 0; i < count; ++i) {
    if (directory.size() < kDirectorySize || Get(directory, 0, 4) != kDirectoryHeader) {
      return Bad("its directory is corrupt");
    }
    Entry entry;
    entry.flags = Get(directory, 8, 2);
    entry.method = Get(directory, 10, 2);
    entry.crc = Get(directory, 16, 4);
    entry.packed_size = Get(directory, 20, 4);
    entry.size = Get(directory, 24, 4);
    const size_t name_size = Get(directory, 28, 2), extra_size = Get(directory, 30, 2);
    const size_t whole = kDirectorySize + name_size + extra_size + Get(directory, 32, 2);
    entry.header_offset = Get(directory, 42, 4);
    if (directory.size() < whole) return Bad("its directory is corrupt");
    entry.name = std::string(directory.substr(kDirectorySize, name_size));
    ASTITCH_RETURN_IF_ERROR(
        ReadZip64Extra(directory.substr(kDirectorySize + name_size, extra_size),
                       {&entry.size, &entry.packed_size, &entry.header_offset}));
    entries_.push_back(std::move(entry));
    directory.remove_prefix(whole);
  }
  return absl::OkStatus();
}

absl::StatusOr<absl::string_view> ZipArchive::PackedData(const Entry& entry) const {
  const absl::Status outside = Bad(absl::StrCat("entry ", entry.name, " lies outside the file"));
  if (entry.header_offset > file_.size() || file_.size() - entry.header_offset < kLocalSize) {
    return outside;
  }
  if (Get(file_, entry.header_offset, 4) != kLocalHeader) {
    return Bad(absl::StrCat("entry ", entry.name, " has no header"));
  }
  const uint64_t data = entry.header_offset + kLocalSize + Get(file_, entry.header_offset + 26, 2) +
                        Get(file_, entry.header_offset + 28, 2);
  if (data > file_.size() || entry.packed_size > file_.size() - data) return outside;
  return file_.substr(data, entry.packed_size);
}

std::vector<std::string> ZipArchive::names() const {
  std::vector<std::string> out;
  for (const Entry& entry : entries_) out.push_back(entry.name);
  return out;
}

bool ZipArchive::Contains(absl::string_view name) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [name](const Entry& entry) { return entry.name == name; });
}

absl::StatusOr<std::string> ZipArchive::Read(absl::string_view name) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [name](const Entry& entry) { return entry.name == name; });
  if (found == entries_.end()) {
    return absl::NotFoundError(absl::StrCat("the archive has no entry ", name));
  }
  const Entry& entry = *found;
  if (entry.flags & kEncrypted) return Bad(absl::StrCat("entry ", name, " is encrypted"));
  ASTITCH_ASSIGN_OR_RETURN(const absl::string_view packed, PackedData(entry));
  std::string out;
  if (entry.method == kStored) {
    if (entry.size != packed.size()) return Bad(absl::StrCat("the sizes of ", name, " disagree"));
    out = std::string(packed);
  } else if (entry.method == kDeflated) {
    if (entry.size / kMaxRatio > packed.size()) {
      return Bad(absl::StrCat("entry ", name, " claims to unpack to ", entry.size, " bytes"));
    }
    ASTITCH_ASSIGN_OR_RETURN(out, Inflate(packed, entry.size));
  } else {
    return Bad(absl::StrCat("entry ", name, " uses compression method ", entry.method,
                            ", expected 0 (stored) or 8 (deflated)"));
  }
  if (Crc(out) != entry.crc) return Bad(absl::StrCat("entry ", name, " fails its CRC"));
  return out;
}

void ZipWriter::Add(absl::string_view name, absl::string_view contents) {
  const uint64_t offset = out_.size();
  const bool zip64 = force_zip64_ || contents.size() >= kMax32 || offset >= kMax32;
  const uint64_t size32 = zip64 ? kMax32 : contents.size();
  const uint64_t offset32 = zip64 ? kMax32 : offset;
  const uint32_t crc = Crc(contents);
  // The fields that the local header and the directory share.
  const auto put_common = [&](std::string& out) {
    Put(out, zip64 ? 45 : 20, 2);  // version of the format needed, in tenths
    Put(out, 0, 2);
    Put(out, kStored, 2);
    Put(out, 0, 2);
    Put(out, kDate, 2);
    Put(out, crc, 4);
    Put(out, size32, 4);
    Put(out, size32, 4);
    Put(out, name.size(), 2);
  };
  const auto put_extra = [&](std::string& out, bool with_offset) {
    Put(out, kZip64Extra, 2);
    Put(out, with_offset ? 24 : 16, 2);
    Put(out, contents.size(), 8);
    Put(out, contents.size(), 8);
    if (with_offset) Put(out, offset, 8);
  };
  Put(out_, kLocalHeader, 4);
  put_common(out_);
  Put(out_, zip64 ? 20 : 0, 2);
  out_.append(name.data(), name.size());
  if (zip64) put_extra(out_, /*with_offset=*/false);
  out_.append(contents.data(), contents.size());

  Put(directory_, kDirectoryHeader, 4);
  Put(directory_, zip64 ? 45 : 20, 2);
  put_common(directory_);
  Put(directory_, zip64 ? 28 : 0, 2);
  Put(directory_, 0, 2 + 2 + 2);  // no comment, disk 0, no internal attributes
  Put(directory_, 0, 4);          // no external ones
  Put(directory_, offset32, 4);
  directory_.append(name.data(), name.size());
  if (zip64) put_extra(directory_, /*with_offset=*/true);
  ++count_;
}

std::string ZipWriter::Finish() {
  const uint64_t offset = out_.size(), size = directory_.size();
  out_ += directory_;
  const bool zip64 = force_zip64_ || offset >= kMax32 || size >= kMax32 || count_ >= kMax16;
  if (zip64) {
    const uint64_t record = out_.size();
    Put(out_, kEnd64Record, 4);
    Put(out_, kEnd64Size - 12, 8);
    Put(out_, 45, 2);
    Put(out_, 45, 2);
    Put(out_, 0, 8);  // disks
    Put(out_, count_, 8);
    Put(out_, count_, 8);
    Put(out_, size, 8);
    Put(out_, offset, 8);
    Put(out_, kEnd64Locator, 4);
    Put(out_, 0, 4);
    Put(out_, record, 8);
    Put(out_, 1, 4);
  }
  Put(out_, kEndRecord, 4);
  Put(out_, 0, 4);  // disks
  Put(out_, zip64 ? kMax16 : count_, 2);
  Put(out_, zip64 ? kMax16 : count_, 2);
  Put(out_, zip64 ? kMax32 : size, 4);
  Put(out_, zip64 ? kMax32 : offset, 4);
  Put(out_, 0, 2);
  directory_.clear();
  count_ = 0;
  return std::move(out_);
}

}  // namespace astitch
