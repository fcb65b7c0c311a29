// byte_order.hpp: numbers of the other byte order.
#pragma once
#include <cstdint>
#include <cstring>

namespace broch::archive {

template <class Word>
Word swapped(Word word) {
  if constexpr (sizeof(Word) == 2)
    return __builtin_bswap16(word);
  else if constexpr (sizeof(Word) == 4)
    return __builtin_bswap32(word);
  else
    return __builtin_bswap64(word);
}

template <class Word>
void swap_words(char* at, uint64_t count) {
  for (; count > 0; --count, at += sizeof(Word)) {
    Word word;
    std::memcpy(&word, at, sizeof word);
    word = swapped(word);
    std::memcpy(at, &word, sizeof word);
  }
}

// size: bytes of a word. Words of one byte stay as they are.
inline void swap_words(char* at, uint64_t count, uint64_t size) {
  if (size == 2) swap_words<uint16_t>(at, count);
  if (size == 4) swap_words<uint32_t>(at, count);
  if (size == 8) swap_words<uint64_t>(at, count);
}

}  // namespace broch::archive
