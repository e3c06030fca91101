// Content hashing for the memoised stages: FNV-1a over bytes, then a finaliser, 64 bits.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

namespace loopglass {

class Hasher {
 public:
  Hasher& bytes(std::span<const std::byte> data);
  Hasher& text(std::string_view value);
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T> Hasher& value(T v) {
    return bytes(std::as_bytes(std::span<const T>(&v, 1)));
  }
  std::uint64_t digest() const;

 private:
  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

}  // namespace loopglass
