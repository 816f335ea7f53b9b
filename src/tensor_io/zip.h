// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Zip archives, as NumPy's .npz files are: stored and deflated entries, zip64 sizes.
//
//   [local header | data] ...   [central directory: name, sizes, CRC, offset] ...   end record
//
// The directory at the end is what counts. An archive is hostile input: offsets and sizes are
// checked against the file, a declared size against what deflate could possibly give, and the data
// against its CRC.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace astitch {

// Reads an archive held in memory. REQUIRES: the bytes outlive the archive.
class ZipArchive {
 public:
  static absl::StatusOr<ZipArchive> Open(absl::string_view file);

  // In directory order.
  std::vector<std::string> names() const;
  bool Contains(absl::string_view name) const;
  // Unpacks one entry. NotFound when there is none of that name.
  absl::StatusOr<std::string> Read(absl::string_view name) const;

 private:
  struct Entry {
    std::string name;
    uint16_t flags = 0, method = 0;
    uint32_t crc = 0;
    uint64_t packed_size = 0, size = 0, header_offset = 0;
  };
  absl::Status ReadDirectory(uint64_t offset, uint64_t size, uint64_t count);
  absl::StatusOr<absl::string_view> PackedData(const Entry& entry) const;

  absl::string_view file_;
  std::vector<Entry> entries_;
};

// Collects stored entries; the bytes are the same for the same entries (no clock).
class ZipWriter {
 public:
  // FORCE_ZIP64 writes 64-bit records for small archives too.
  explicit ZipWriter(bool force_zip64 = false) : force_zip64_(force_zip64) {}
  void Add(absl::string_view name, absl::string_view contents);
  // The whole archive; the writer is empty afterwards.
  std::string Finish();

 private:
  bool force_zip64_;
  std::string out_, directory_;
  uint64_t count_ = 0;
};

}  // namespace astitch
