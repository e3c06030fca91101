#include "core/codegen/instruction_words.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <utility>

namespace loopglass::codegen {

namespace {

using Row = std::pair<std::string_view, std::string_view>;

std::optional<std::string_view> find(std::span<const Row> rows, std::string_view key) {
  for (const auto& [word, sentence] : rows)
    if (word == key) return sentence;
  return std::nullopt;
}

// --- scalar integer code: addresses, loops, branches ---

constexpr Row plain[] = {
    {"mov", "Copies a value between registers and memory, or puts a constant there."},
    {"movabs", "Puts a 64-bit constant into a register."},
    {"movsx", "Copies an integer into a wider register, keeping its sign."},
    {"movsxd", "Copies a 32-bit integer into a 64-bit register, keeping its sign."},
    {"movzx", "Copies an integer into a wider register, with zeros above it."},
    {"lea",
     "Computes an address, or any base + index * scale + constant, without touching memory."},
    {"add", "Adds the second operand to the first."},
    {"adc", "Adds the second operand and the carry to the first."},
    {"sub", "Subtracts the second operand from the first."},
    {"sbb", "Subtracts the second operand and the borrow from the first."},
    {"imul", "Multiplies signed integers."},
    {"mul", "Multiplies unsigned integers."},
    {"mulx", "Multiplies unsigned integers and leaves the flags alone."},
    {"idiv", "Divides signed integers: quotient and remainder; tens of cycles."},
    {"div", "Divides unsigned integers: quotient and remainder; tens of cycles."},
    {"inc", "Adds one."},
    {"dec", "Subtracts one."},
    {"neg", "Changes the sign of an integer."},
    {"not", "Inverts every bit."},
    {"and", "Bitwise and of two integers."},
    {"andn", "Bitwise and of an integer with the inverse of another."},
    {"or", "Bitwise or of two integers."},
    {"xor", "Bitwise exclusive or; of a register with itself it is zero."},
    {"shl", "Shifts bits left: multiplies by a power of two."},
    {"shr",
     "Shifts bits right, with zeros from the left: divides an unsigned integer by a power of two."},
    {"sar", "Shifts bits right, keeping the sign: divides by a power of two, rounding down."},
    {"shlx", "Shifts bits left and leaves the flags alone."},
    {"shrx", "Shifts bits right, with zeros from the left, and leaves the flags alone."},
    {"sarx", "Shifts bits right, keeping the sign, and leaves the flags alone."},
    {"shld", "Shifts bits left across two registers."},
    {"shrd", "Shifts bits right across two registers."},
    {"rol", "Rotates bits left."},
    {"ror", "Rotates bits right."},
    {"rorx", "Rotates bits right and leaves the flags alone."},
    {"bzhi", "Clears the bits from an index upward."},
    {"bextr", "Takes a run of bits out of a register."},
    {"blsr", "Clears the lowest bit that is set."},
    {"bt", "Tests one bit."},
    {"tzcnt", "Counts the zero bits below the lowest one."},
    {"lzcnt", "Counts the zero bits above the highest one."},
    {"popcnt", "Counts the bits that are set."},
    {"cdq", "Extends the sign of eax into edx, before a division."},
    {"cqo", "Extends the sign of rax into rdx, before a division."},
    {"cdqe", "Extends the sign of eax into rax."},
    {"cmp",
     "Compares by subtracting; only the flags remember the result, for the jump that follows."},
    {"test",
     "Bitwise and that only sets the flags; of a register with itself, whether it is zero."},
    {"jmp", "Jumps, always."},
    {"call",
     "Calls a function; in a kernel mostly the threads' part of a parallel loop, or mathematics."},
    {"ret", "Returns to the caller."},
    {"push", "Saves a register on the stack."},
    {"pop", "Takes a register back from the stack."},
    {"nop", "Does nothing, so that what follows is aligned."},
    {"leave", "Undoes the stack frame."},
    {"ud2", "Stops the program: a place that is never reached."},
    {"vzeroupper",
     "Clears the upper halves of vector registers, so that older code after it is not slowed "
     "down."},
    {"prefetcht0", "Asks for a cache line ahead of time."},
    {"sfence", "Waits until earlier stores are seen by all."},
    {"mfence", "Waits until earlier loads and stores are seen by all."}};

constexpr Row conditions[] = {{"e", "equal, or zero"},
                              {"ne", "not equal, or not zero"},
                              {"l", "less, of signed integers"},
                              {"le", "less or equal, of signed integers"},
                              {"g", "greater, of signed integers"},
                              {"ge", "greater or equal, of signed integers"},
                              {"b", "below, of unsigned integers"},
                              {"be", "below or equal, of unsigned integers"},
                              {"a", "above, of unsigned integers"},
                              {"ae", "above or equal, of unsigned integers"},
                              {"s", "negative"},
                              {"ns", "not negative"},
                              {"p", "unordered: one is no number"},
                              {"np", "ordered: both are numbers"},
                              {"o", "overflow"},
                              {"no", "no overflow"}};

std::string conditional(std::string_view mnemonic) {
  static constexpr Row kinds[] = {{"cmov", "Copies the second operand into the first, if"},
                                  {"set", "Puts 1 into a byte, else 0, if"},
                                  {"j", "Jumps, if"}};
  for (const auto& [prefix, does] : kinds)
    if (mnemonic.starts_with(prefix))
      if (const auto when = find(conditions, mnemonic.substr(prefix.size())))
        return fmt::format("{} the last comparison was: {}.", does, *when);
  return {};
}

// --- vector registers ---

constexpr Row float_types[] = {{"ps", "float32 numbers in every lane"},
                               {"pd", "float64 numbers in every lane"},
                               {"ss", "one float32 number, in the lowest lane"},
                               {"sd", "one float64 number, in the lowest lane"},
                               {"ph", "float16 numbers in every lane"},
                               {"sh", "one float16 number, in the lowest lane"}};
constexpr Row integer_types[] = {{"b", "8-bit integers in every lane"},
                                 {"w", "16-bit integers in every lane"},
                                 {"d", "32-bit integers in every lane"},
                                 {"q", "64-bit integers in every lane"}};

constexpr Row float_stems[] = {
    {"add", "Adds"},
    {"sub", "Subtracts"},
    {"mul", "Multiplies"},
    {"div", "Divides"},
    {"min", "Takes the smaller"},
    {"max", "Takes the larger"},
    {"sqrt", "Takes the square root"},
    {"rcp", "Estimates the reciprocal"},
    {"rcp14", "Estimates the reciprocal to 14 bits"},
    {"rsqrt", "Estimates the reciprocal square root"},
    {"rsqrt14", "Estimates the reciprocal square root to 14 bits"},
    {"round", "Rounds to a whole number"},
    {"rndscale", "Rounds to a whole number, or to so many binary places"},
    {"scalef", "Multiplies by a power of two"},
    {"getexp", "Takes the exponent"},
    {"getmant", "Takes the mantissa"},
    {"fixupimm", "Puts special values right"},
    {"range", "Takes minimum or maximum, by a constant"},
    {"reduce", "Takes what is left of rounding"},
    {"and", "Bitwise and (of the sign bit: the absolute value)"},
    {"andn", "Bitwise and with an inverse"},
    {"or", "Bitwise or"},
    {"xor",
     "Bitwise exclusive or (with the sign bit: the other sign; of a register with itself: zero)"},
    {"hadd", "Adds neighbouring lanes"},
    {"mova", "Copies between registers and aligned memory"},
    {"movu", "Copies between registers and memory of any alignment"},
    {"movnt", "Stores past the caches"},
    {"mov", "Copies"},
    {"ucomi", "Compares and sets the flags, for a jump"},
    {"comi", "Compares and sets the flags, for a jump"},
    {"blend", "Takes each lane from one of two registers, by a constant"},
    {"blendv", "Takes each lane from one of two registers, by the sign of a third"},
    {"blendm", "Takes each lane from one of two registers, by a mask"},
    {"unpckl", "Interleaves the lower lanes of two registers"},
    {"unpckh", "Interleaves the upper lanes of two registers"},
    {"shuf", "Rearranges lanes of two registers, by a constant"},
    {"perm", "Rearranges lanes, by indices"},
    {"permil", "Rearranges lanes within 128 bits"},
    {"permt2", "Picks lanes out of two registers, by indices"},
    {"permi2", "Picks lanes out of two registers, by indices"},
    {"expand", "Spreads neighbouring elements over the lanes of a mask"},
    {"compress", "Gathers the lanes of a mask side by side"},
    {"maskmov", "Loads or stores the lanes that a mask picks out"},
    {"gatherd", "Loads every lane from an address of its own, by 32-bit indices; slow"},
    {"gatherq", "Loads every lane from an address of its own, by 64-bit indices; slow"},
    {"scatterd", "Stores every lane to an address of its own, by 32-bit indices; slow"},
    {"scatterq", "Stores every lane to an address of its own, by 64-bit indices; slow"},
    {"insert", "Puts a number into one lane"},
    {"extract", "Takes a number out of one lane"},
    {"movmsk", "Gathers the signs of the lanes in a register"},
    {"movh", "Copies the upper half of 128 bits"},
    {"movl", "Copies the lower half of 128 bits"},
    {"movhl", "Copies the upper half of one register to the lower of another"},
    {"movlh", "Copies the lower half of one register to the upper of another"},
    {"movnta", "Stores past the caches"},
    {"dp", "Multiplies and sums"}};

constexpr Row integer_stems[] = {
    {"padd", "Adds"},
    {"padds", "Adds, stopping at the limits"},
    {"paddus", "Adds unsigned, stopping at the limits"},
    {"psub", "Subtracts"},
    {"psubs", "Subtracts, stopping at the limits"},
    {"psubus", "Subtracts unsigned, stopping at the limits"},
    {"pmull", "Multiplies, keeping the lower half"},
    {"pmulh", "Multiplies, keeping the upper half"},
    {"pmulhu", "Multiplies unsigned, keeping the upper half"},
    {"pmaxs", "Takes the larger, signed"},
    {"pmaxu", "Takes the larger, unsigned"},
    {"pmins", "Takes the smaller, signed"},
    {"pminu", "Takes the smaller, unsigned"},
    {"pabs", "Takes the absolute value"},
    {"psign", "Takes over a sign"},
    {"pavg", "Averages, unsigned"},
    {"psll", "Shifts left"},
    {"psrl", "Shifts right, with zeros"},
    {"psra", "Shifts right, keeping the sign"},
    {"psllv", "Shifts left, every lane by its own count"},
    {"psrlv", "Shifts right with zeros, every lane by its own count"},
    {"psrav", "Shifts right keeping the sign, every lane by its own count"},
    {"pcmpeq", "Compares for equality"},
    {"pcmpgt", "Compares for greater, signed"},
    {"pcmpneq", "Compares for inequality, into a mask"},
    {"pcmplt", "Compares for less, signed, into a mask"},
    {"pcmple", "Compares for less or equal, signed, into a mask"},
    {"pcmpnlt", "Compares for not less, signed, into a mask"},
    {"pcmpnle", "Compares for not less or equal, signed, into a mask"},
    {"pcmpltu", "Compares for less, unsigned, into a mask"},
    {"pcmpleu", "Compares for less or equal, unsigned, into a mask"},
    {"pcmpnltu", "Compares for not less, unsigned, into a mask"},
    {"pcmpnleu", "Compares for not less or equal, unsigned, into a mask"},
    {"ptestm", "Tests bits, into a mask"},
    {"ptestnm", "Tests that bits are clear, into a mask"},
    {"pbroadcast", "Copies one element into every lane"},
    {"pblend", "Takes each lane from one of two registers, by a constant"},
    {"pblendv", "Takes each lane from one of two registers, by the sign of a third"},
    {"pblendm", "Takes each lane from one of two registers, by a mask"},
    {"pshuf", "Rearranges lanes"},
    {"pshufl", "Rearranges the lower lanes"},
    {"pshufh", "Rearranges the upper lanes"},
    {"perm", "Rearranges lanes, by indices"},
    {"permt2", "Picks lanes out of two registers, by indices"},
    {"permi2", "Picks lanes out of two registers, by indices"},
    {"pexpand", "Spreads neighbouring elements over the lanes of a mask"},
    {"pcompress", "Gathers the lanes of a mask side by side"},
    {"pinsr", "Puts an integer into one lane"},
    {"pextr", "Takes an integer out of one lane"},
    {"pternlog", "Any bitwise function of three operands, by a constant"},
    {"pand", "Bitwise and"},
    {"pandn", "Bitwise and with an inverse"},
    {"por", "Bitwise or"},
    {"pxor", "Bitwise exclusive or"},
    {"pmaskmov", "Loads or stores the lanes that a mask picks out"},
    {"pgatherd", "Loads every lane from an address of its own, by 32-bit indices; slow"},
    {"pgatherq", "Loads every lane from an address of its own, by 64-bit indices; slow"},
    {"pscatterd", "Stores every lane to an address of its own, by 32-bit indices; slow"},
    {"pscatterq", "Stores every lane to an address of its own, by 64-bit indices; slow"},
    {"prol", "Rotates left"},
    {"prolv", "Rotates left, every lane by its own count"},
    {"palign", "Joins two registers and cuts a shifted part out of them"},
    {"align", "Joins two registers and cuts a shifted part out of them"},
    {"phadd", "Adds neighbouring lanes"},
    {"plzcnt", "Counts the leading zero bits"},
    {"popcnt", "Counts the bits that are set"},
    {"mov", "Copies the lowest lane between registers and memory, zeros above it"}};

constexpr Row vector_words[] = {
    {"pand", "Bitwise and of whole vector registers."},
    {"pandn", "Bitwise and of a vector register with the inverse of another."},
    {"por", "Bitwise or of whole vector registers."},
    {"pxor", "Bitwise exclusive or of whole vector registers; of one with itself it is zero."},
    {"ptest", "Bitwise and of whole vector registers that only sets the flags."},
    {"pmuludq", "Multiplies unsigned 32-bit integers of every other lane, with 64-bit results."},
    {"pmuldq", "Multiplies signed 32-bit integers of every other lane, with 64-bit results."},
    {"pmaddwd", "Multiplies 16-bit integers and adds neighbouring products, to 32 bits."},
    {"pmaddubsw",
     "Multiplies unsigned with signed 8-bit integers and adds neighbouring products, to 16 bits."},
    {"pdpbusd",
     "Multiplies unsigned with signed 8-bit integers and adds four products each to a 32-bit sum."},
    {"pdpwssd", "Multiplies 16-bit integers and adds two products each to a 32-bit sum."},
    {"packsswb", "Narrows 16-bit integers to 8 signed bits, stopping at the limits."},
    {"packuswb", "Narrows 16-bit integers to 8 unsigned bits, stopping at the limits."},
    {"packssdw", "Narrows 32-bit integers to 16 signed bits, stopping at the limits."},
    {"packusdw", "Narrows 32-bit integers to 16 unsigned bits, stopping at the limits."},
    {"pmovmskb", "Gathers the highest bit of every byte in a register."},
    {"movdqa", "Copies whole vector registers, or between them and aligned memory."},
    {"movdqu", "Copies between whole vector registers and memory of any alignment."},
    {"lddqu", "Loads from memory of any alignment."},
    {"movddup", "Copies the lower float64 number of every pair over the upper."},
    {"movshdup", "Copies the upper float32 number of every pair over the lower."},
    {"movsldup", "Copies the lower float32 number of every pair over the upper."},
    {"pslldq", "Shifts whole 128 bits left, by bytes."},
    {"psrldq", "Shifts whole 128 bits right, by bytes."},
    {"broadcastss", "Copies one float32 number into every lane."},
    {"broadcastsd", "Copies one float64 number into every lane."},
    {"perm2f128", "Rearranges 128-bit halves of two registers."},
    {"perm2i128", "Rearranges 128-bit halves of two registers."}};

std::string fused_multiply(std::string_view word) {
  static constexpr Row orders[] = {{"132", "first = {}first * third{}second"},
                                   {"213", "first = {}second * first{}third"},
                                   {"231", "first = {}second * third{}first"}};
  if (!word.starts_with("f")) return {};
  word.remove_prefix(1);
  const bool negated = word.starts_with("nm");
  if (negated) word.remove_prefix(1);
  const bool adds = word.starts_with("madd");
  if (!adds && !word.starts_with("msub")) return {};
  word.remove_prefix(4);
  const auto order = find(orders, word.substr(0, 3));
  if (!order || word.size() != 5) return {};
  const auto type = find(float_types, word.substr(3));
  if (!type) return {};
  return fmt::format(
      "Multiplies and {} with a single rounding, {}: {}.", adds ? "adds" : "subtracts",
      fmt::format(fmt::runtime(*order), negated ? "-" : "", adds ? " + " : " - "), *type);
}

// cmpltps, cmpneq_oqpd
std::string comparison(std::string_view word) {
  static constexpr Row predicates[] = {{"eq", "equal"},
                                       {"lt", "less"},
                                       {"le", "less or equal"},
                                       {"unord", "unordered: one is no number"},
                                       {"neq", "not equal"},
                                       {"nlt", "not less"},
                                       {"nle", "not less or equal"},
                                       {"ord", "ordered: both are numbers"},
                                       {"ge", "greater or equal"},
                                       {"gt", "greater"},
                                       {"nge", "not greater or equal"},
                                       {"ngt", "not greater"}};
  if (!word.starts_with("cmp") || word.size() < 7) return {};
  const auto type = find(float_types, word.substr(word.size() - 2));
  const std::string_view relation = word.substr(3, word.size() - 5);
  const auto predicate = find(predicates, relation.substr(0, relation.find('_')));
  if (!type || !predicate) return {};
  return fmt::format("Compares, into a mask or lanes of ones: {}; {}.", *predicate, *type);
}

// The bytes that one converts from and to: cvtdq2ps, cvttss2si.
std::string conversion(std::string_view word) {
  static constexpr Row types[] = {{"ps", "float32"},
                                  {"pd", "float64"},
                                  {"ss", "one float32"},
                                  {"sd", "one float64"},
                                  {"ph", "float16"},
                                  {"dq", "32-bit integers"},
                                  {"udq", "unsigned 32-bit integers"},
                                  {"qq", "64-bit integers"},
                                  {"uqq", "unsigned 64-bit integers"},
                                  {"si", "an integer"},
                                  {"usi", "an unsigned integer"},
                                  {"sh", "one float16"}};
  if (!word.starts_with("cvt")) return {};
  word.remove_prefix(3);
  std::size_t middle = word.find('2');
  if (middle == std::string_view::npos) return {};
  std::string_view from = word.substr(0, middle), to = word.substr(middle + 1);
  const bool truncates = from.starts_with("t") && find(types, from.substr(1)).has_value();
  if (truncates) from.remove_prefix(1);
  const auto one = find(types, from), other = find(types, to);
  if (!one || !other) return {};
  return fmt::format("Converts {} to {}{}.", *one, *other,
                     truncates ? ", cutting off what is behind the point" : "");
}

// pmovzxbd, pmovsxwq, pmovdb
std::string resize(std::string_view word) {
  static constexpr Row sizes[] = {{"b", "8"}, {"w", "16"}, {"d", "32"}, {"q", "64"}};
  if (!word.starts_with("pmov")) return {};
  word.remove_prefix(4);
  const bool zeros = word.starts_with("zx"), sign = word.starts_with("sx");
  if (zeros || sign) word.remove_prefix(2);
  else if (word.starts_with("us") && word.size() == 4) word.remove_prefix(2);
  if (word.size() != 2) return {};
  const auto from = find(sizes, word.substr(0, 1)), to = find(sizes, word.substr(1));
  if (!from || !to) return {};
  return fmt::format("{} integers from {} to {} bits in every lane{}.",
                     zeros || sign ? "Widens" : "Narrows", *from, *to,
                     zeros  ? ", with zeros above them"
                     : sign ? ", keeping their sign"
                            : "");
}

// insertf128, extractf32x4, broadcasti64x2, shuff32x4
std::string part(std::string_view word) {
  static constexpr Row kinds[] = {
      {"insert", "Puts {} bits of one vector register into another."},
      {"extract", "Takes {} bits out of a vector register."},
      {"broadcast", "Copies {} bits from memory side by side into a whole register."},
      {"shuf", "Rearranges parts of {} bits of two registers."}};
  static constexpr Row sizes[] = {{"f128", "128"},  {"i128", "128"},  {"f32x4", "128"},
                                  {"i32x4", "128"}, {"f64x2", "128"}, {"i64x2", "128"},
                                  {"f32x8", "256"}, {"i32x8", "256"}, {"f64x4", "256"},
                                  {"i64x4", "256"}, {"f32x2", "64"},  {"i32x2", "64"}};
  for (const auto& [prefix, does] : kinds)
    if (word.starts_with(prefix))
      if (const auto size = find(sizes, word.substr(prefix.size())))
        return fmt::format(fmt::runtime(does), *size);
  return {};
}

std::string with_type(std::string_view word, std::span<const Row> stems, std::span<const Row> types,
                      std::size_t letters) {
  if (word.size() <= letters) return {};
  const auto type = find(types, word.substr(word.size() - letters));
  const auto does = find(stems, word.substr(0, word.size() - letters));
  if (!type || !does) return {};
  return fmt::format("{}: {}.", *does, *type);
}

// punpckldq, punpckhwd
std::string interleaved(std::string_view word) {
  static constexpr Row sizes[] = {{"bw", "8"}, {"wd", "16"}, {"dq", "32"}, {"qdq", "64"}};
  for (const std::string_view half : {"punpckl", "punpckh"})
    if (word.starts_with(half))
      if (const auto size = find(sizes, word.substr(half.size())))
        return fmt::format("Interleaves the {} {}-bit lanes of two registers.",
                           half.back() == 'l' ? "lower" : "upper", *size);
  return {};
}

std::string vector(std::string_view word) {
  if (const auto known = find(vector_words, word)) return std::string(*known);
  // movdqu8, movdqa64: the number is that of a mask's lanes.
  for (const std::string_view move : {"movdqa", "movdqu"})
    if (word.starts_with(move)) {
      const std::string_view lane = word.substr(move.size());
      if (lane == "8" || lane == "16" || lane == "32" || lane == "64")
        return std::string(*find(vector_words, move));
    }
  for (const auto& sentence :
       {fused_multiply(word), comparison(word), conversion(word), resize(word), part(word),
        interleaved(word), with_type(word, float_stems, float_types, 2),
        with_type(word, integer_stems, integer_types, 1)})
    if (!sentence.empty()) return sentence;
  return {};
}

// kmovw, kortestb
std::string mask(std::string_view mnemonic) {
  static constexpr Row stems[] = {
      {"kmov", "Copies a mask"},
      {"kand", "And of masks"},
      {"kandn", "And of a mask with the inverse of another"},
      {"kor", "Or of masks"},
      {"kxor", "Exclusive or of masks"},
      {"kxnor", "Inverse exclusive or of masks; of one with itself, all lanes"},
      {"knot", "Inverts a mask"},
      {"kadd", "Adds masks"},
      {"kshiftl", "Shifts a mask left"},
      {"kshiftr", "Shifts a mask right"},
      {"kortest", "Tests masks and sets the flags"},
      {"ktest", "Tests masks and sets the flags"}};
  static constexpr Row lanes[] = {
      {"b", "8 lanes"}, {"w", "16 lanes"}, {"d", "32 lanes"}, {"q", "64 lanes"}};
  static constexpr Row joined[] = {{"kunpckbw", "Joins two masks of 8 lanes."},
                                   {"kunpckwd", "Joins two masks of 16 lanes."},
                                   {"kunpckdq", "Joins two masks of 32 lanes."}};
  if (const auto known = find(joined, mnemonic)) return std::string(*known);
  if (mnemonic.empty()) return {};
  const auto does = find(stems, mnemonic.substr(0, mnemonic.size() - 1));
  const auto count = find(lanes, mnemonic.substr(mnemonic.size() - 1));
  return does && count ? fmt::format("{}, of {}.", *does, *count) : std::string();
}

}  // namespace

std::string instruction_sentence(std::string_view mnemonic) {
  if (const auto known = find(plain, mnemonic)) return std::string(*known);
  if (auto sentence = conditional(mnemonic); !sentence.empty()) return sentence;
  if (auto sentence = mask(mnemonic); !sentence.empty()) return sentence;
  if (mnemonic.starts_with("v"))
    if (auto sentence = vector(mnemonic.substr(1)); !sentence.empty()) return sentence;
  return vector(mnemonic);
}

std::string register_sentence(std::string_view name) {
  const auto number_after = [&](std::size_t letters) -> std::optional<int> {
    int number = 0;
    const char* end = name.data() + name.size();
    const auto [stop, error] =
        std::from_chars(name.data() + std::min(letters, name.size()), end, number);
    return error == std::errc() && stop == end && number < 32 ? std::optional(number)
                                                              : std::nullopt;
  };
  if (name.size() > 3 && std::string_view("xyz").contains(name[0]) && name.substr(1, 2) == "mm")
    if (const auto number = number_after(3)) {
      const int bits = name[0] == 'x' ? 128 : name[0] == 'y' ? 256 : 512;
      return fmt::format("Vector register {}, {} bits: {} numbers of float32.", *number, bits,
                         bits / 32);
    }
  if (name == "rsp") return "The stack's end: what did not fit in registers lies there.";
  if (name == "rip") return "Where the program is: constants are found by their distance from it.";
  static constexpr std::array general{"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp",
                                      "eax", "ebx", "ecx", "edx", "esi", "edi", "ebp"};
  const bool is_general =
      std::ranges::find(general, name) != general.end() ||
      (name.starts_with('r') && number_after(1).value_or(0) >= 8 && *number_after(1) < 16);
  if (!is_general) return {};
  return name.starts_with('e')
             ? "The lower 32 bits of a general register: addresses and counters of loops."
             : "A general register, 64 bits: addresses and counters of loops.";
}

}  // namespace loopglass::codegen
