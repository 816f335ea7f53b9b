// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Pages are made when first touched and split into finer records when a narrower access comes.
#include "simt/race/shadow.h"

namespace astitch::simt {

void Shadow::Refine(std::unique_ptr<Page>& page, int shift) {
  auto fine = std::make_unique<Page>();
  fine->shift = shift;
  fine->granules.resize(kPageBytes >> shift);
  if (page != nullptr) {
    const int difference = page->shift - shift;
    for (size_t i = 0; i < fine->granules.size(); ++i) {
      Granule& granule = fine->granules[i];
      granule = page->granules[i >> difference];
      if (granule.more == 0) continue;
      // Each part has its own list from here on.
      MoreReaders copy = more_[granule.more - 1];
      more_.push_back(std::move(copy));
      granule.more = static_cast<uint32_t>(more_.size());
    }
  }
  page = std::move(fine);
}

}  // namespace astitch::simt
