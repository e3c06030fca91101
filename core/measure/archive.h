// Values as bytes and back, for two ends that are one program. What a struct is made of is said
// once for both ways, by a function `fields(archive, value)` in this namespace:
//
//   template <class Archive> void fields(Archive& archive, Loss& loss) { archive(loss.kind, ...); }
#pragma once

#include <algorithm>
#include <concepts>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace loopglass::measure {

template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class Writer {
 public:
  template <class... Values>
  void operator()(Values&... values) {
    (put(values), ...);
  }
  void raw(const void* place, std::size_t size) {
    bytes_.append(static_cast<const char*>(place), size);
  }
  std::string take() && { return std::move(bytes_); }

 private:
  template <Plain T>
  void put(T& value) {
    raw(&value, sizeof(value));
  }
  void put(std::string& text) {
    std::size_t size = text.size();
    put(size);
    bytes_ += text;
  }
  template <class T>
  void put(std::vector<T>& list) {
    std::size_t size = list.size();
    put(size);
    for (T& value : list) put(value);
  }
  template <class T>
  void put(std::optional<T>& value) {
    bool is_there = value.has_value();
    put(is_there);
    if (value) put(*value);
  }
  template <class T>
  void put(T& value) {
    fields(*this, value);
  }

  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class... Values>
  void operator()(Values&... values) {
    (get(values), ...);
  }
  // False, and so for good, where fewer bytes have come.
  bool raw(void* place, std::size_t size) {
    good_ = good_ && size <= bytes_.size();
    if (!good_) return false;
    std::memcpy(place, bytes_.data(), size);
    bytes_.remove_prefix(size);
    return true;
  }
  void refuse() { good_ = false; }
  std::size_t left() const { return bytes_.size(); }
  // All was read, and nothing is left.
  bool good() const { return good_ && bytes_.empty(); }

 private:
  template <Plain T>
  void get(T& value) {
    raw(&value, sizeof(value));
  }
  void get(bool& value) {
    char byte = 0;
    raw(&byte, 1);
    value = byte != 0;
  }
  void get(std::string& text) {
    text.resize(size());
    raw(text.data(), text.size());
  }
  template <class T>
  void get(std::vector<T>& list) {
    list.resize(size());
    for (T& value : list) get(value);
  }
  template <class T>
  void get(std::optional<T>& value) {
    bool is_there = false;
    get(is_there);
    if (is_there) get(value.emplace());
  }
  template <class T>
  void get(T& value) {
    fields(*this, value);
  }
  // Of what follows. Everything is a byte at the least: nobody makes us allocate what has not come.
  std::size_t size() {
    std::size_t count = 0;
    get(count);
    if (count > bytes_.size()) good_ = false;
    return good_ ? count : 0;
  }

  std::string_view bytes_;
  bool good_ = true;
};

}  // namespace loopglass::measure
