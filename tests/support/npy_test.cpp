// NumPy's files, as it writes them (NEP 1), byte by byte.
#include "core/tensor/npy.h"

#include <gtest/gtest.h>

#include <random>

namespace loopglass {
namespace {

using namespace std::string_literals;

std::string npy(const std::string& dictionary, const std::string& content, int version = 1) {
  std::string bytes = "\x93NUMPY"s + static_cast<char>(version) + '\0';
  bytes += static_cast<char>(dictionary.size() & 0xff);
  bytes += static_cast<char>(dictionary.size() >> 8);
  if (version > 1) bytes += "\0\0"s;
  return bytes + dictionary + content;
}

TEST(Npy, WritesWhatNumPyWrites) {
  const std::string bytes = to_npy(Tensor::of<float>({2, 1}, {1.0f, -2.0f}));
  EXPECT_EQ(bytes.substr(0, 8), "\x93NUMPY\x01\x00"s);
  EXPECT_EQ((bytes.size() - 8) % 64, 0u) << "the elements begin at a multiple of 64";
  EXPECT_NE(bytes.find("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }"),
            std::string::npos);
  EXPECT_EQ(bytes.substr(bytes.size() - 8), "\x00\x00\x80\x3f\x00\x00\x00\xc0"s);
  EXPECT_NE(to_npy(Tensor::of<std::int64_t>({3}, {1, 2, 3})).find("'shape': (3,), }"),
            std::string::npos);
  EXPECT_NE(to_npy(Tensor::of<bool>({}, {true})).find("'|b1', 'fortran_order': False, 'shape': ()"),
            std::string::npos);
}

TEST(Npy, ReadsWhatItWrites) {
  std::mt19937 random(7);
  for (const DataType type :
       {DataType::Float16, DataType::Float32, DataType::Float64, DataType::Int8, DataType::Int16,
        DataType::Int32, DataType::Int64, DataType::UInt8, DataType::UInt16, DataType::UInt32,
        DataType::UInt64, DataType::Bool})
    for (const Shape& shape : {Shape{}, Shape{5}, Shape{2, 3, 4}, Shape{0, 3}}) {
      Tensor tensor(TensorType{type, shape});
      for (std::size_t i = 0; i < tensor.bytes(); ++i)
        tensor.data()[i] = std::byte(type == DataType::Bool ? random() % 2 : random() % 256);
      const auto read = parse_npy(to_npy(tensor));
      ASSERT_TRUE(read) << to_string(read.error());
      EXPECT_TRUE(read->same_content(tensor)) << to_string(tensor.type());
    }
}

TEST(Npy, ReadsEitherOrderOfBytesAndAxes) {
  const auto big = parse_npy(
      npy("{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }\n", "\x01\x02\xff\xfe"));
  ASSERT_TRUE(big) << to_string(big.error());
  EXPECT_TRUE(big->same_content(Tensor::of<std::int16_t>({2}, {0x0102, -2})));
  // [[1, 2, 3], [4, 5, 6]], column by column; as version 3 has it, keys in another order.
  const auto columns = parse_npy(npy("{'shape': (2, 3), 'fortran_order': True, 'descr': '|u1'}\n",
                                     "\x01\x04\x02\x05\x03\x06", 3));
  ASSERT_TRUE(columns) << to_string(columns.error());
  EXPECT_TRUE(columns->same_content(Tensor::of<std::uint8_t>({2, 3}, {1, 2, 3, 4, 5, 6})));
}

TEST(Npy, RefusesWhatItIsNot) {
  const std::string good =
      npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", std::string(8, 'x'));
  ASSERT_TRUE(parse_npy(good));
  // Every beginning of a file is too short, and none is read beyond its end.
  for (std::size_t size = 0; size < good.size(); ++size) {
    const auto part = parse_npy(good.substr(0, size));
    ASSERT_FALSE(part) << size;
  }
  for (const char* dictionary :
       {"", "{}", "{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999, 9999999999), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (x,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 3 }", "{'descr': '<f4"})
    EXPECT_FALSE(parse_npy(npy(dictionary, std::string(8, 'x')))) << dictionary;
  EXPECT_FALSE(parse_npy(npy("{'descr': '<f4', 'shape': (1,)}", "xxxx", 9))) << "version 9";
  EXPECT_FALSE(read_npy("/dev/zero"));
  EXPECT_FALSE(read_npy("/nowhere/x.npy"));
}

}  // namespace
}  // namespace loopglass
