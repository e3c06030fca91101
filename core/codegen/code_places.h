// Where in object code each instruction of an assembly listing lies: so that an address in the
// running kernel leads to its line.
#pragma once

#include "core/codegen/kernel_listings.h"
#include "core/codegen/object_code.h"

#include <optional>
#include <vector>

namespace loopglass::codegen {

class CodePlaces {
 public:
  struct Place {
    std::int64_t offset = 0;  // bytes behind the entry point; before it where it is negative
    std::size_t line = 0;     // of the listing
  };
  // `places`: by offset, all before `end`.
  CodePlaces(std::vector<Place> places, std::int64_t end) : places_(std::move(places)), end_(end) {}

  const std::vector<Place>& all() const { return places_; }
  // The line of the instruction there; nullopt: that is not this kernel's code.
  std::optional<std::size_t> line_at(std::int64_t offset) const;

 private:
  std::vector<Place> places_;
  std::int64_t end_;
};

// `assembly`: KernelListings::assembly() of the nest and the options that the code was generated
// for; what LLVM fills the gaps between blocks with is no line's. CodegenFailed where the two are
// not of one kernel.
Result<CodePlaces> code_places(const ObjectCode& code, const SourceLines& assembly);

}  // namespace loopglass::codegen
