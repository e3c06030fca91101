#include "core/support/hash.h"

#include <cstddef>
#include <cstring>

namespace loopglass {

namespace {
constexpr std::uint64_t prime = 0x100000001b3ULL;

std::uint64_t mix(std::uint64_t value) {
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccdULL;
  value ^= value >> 33;
  value *= 0xc4ceb9fe1a85ec53ULL;
  return value ^ (value >> 33);
}
}  // namespace

Hasher& Hasher::bytes(std::span<const std::byte> data) {
  // Eight bytes at a time: weights run to hundreds of megabytes.
  std::size_t at = 0;
  for (; at + 8 <= data.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, data.data() + at, 8);
    state_ = (state_ ^ mix(word)) * prime;
  }
  for (; at < data.size(); ++at)
    state_ = (state_ ^ std::to_integer<std::uint64_t>(data[at])) * prime;
  return *this;
}

Hasher& Hasher::text(std::string_view text) {
  value(text.size());
  return bytes(std::as_bytes(std::span(text.data(), text.size())));
}

std::uint64_t Hasher::digest() const { return mix(state_); }

}  // namespace loopglass
