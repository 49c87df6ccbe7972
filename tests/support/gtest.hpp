// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

// GoogleTest, with tests that are quicker to compile. It makes a class, a factory and more of each `TEST`, which takes the
// compiler 12 ms (GCC 12), two thousand times. Here a `TEST` is a function, and a `TEST_F` a class without a factory of its
// own. They are written, named, filtered and reported as in GoogleTest.

namespace futon::test {

/// A test whose body is a function.
class FunctionTest final : public testing::Test {
public:
    explicit FunctionTest(void (*body)()) noexcept : body_(body) {}

private:
    void TestBody() override { body_(); }

    void (*body_)();
};

inline bool add_test(const char* suite, const char* name, const char* file, int line, void (*body)()) {
    testing::RegisterTest(suite, name, nullptr, nullptr, file, line,
                          [body]() -> testing::Test* { return new FunctionTest(body); });
    return true;
}

/// The same of a test that is a class, made by `make`.
template <class Fixture>
bool add_test_of(const char* suite, const char* name, const char* file, int line, Fixture* (*make)()) {
    testing::RegisterTest(suite, name, nullptr, nullptr, file, line, make);
    return true;
}

}  // namespace futon::test

// In two steps, so that a macro can rename a suite.
#undef TEST
#define TEST(suite, name) FUTON_TEST(suite, name)
#define FUTON_TEST(suite, name)                                                           \
    static void suite##_##name##_body();                                                  \
    [[maybe_unused]] static const bool suite##_##name##_is_added =                        \
        futon::test::add_test(#suite, #name, __FILE__, __LINE__, &suite##_##name##_body); \
    static void suite##_##name##_body()

#undef TEST_F
#define TEST_F(fixture, name) FUTON_TEST_F(fixture, name)
#define FUTON_TEST_F(fixture, name)                                                                             \
    class fixture##_##name##_Test final : public fixture {                                                      \
    public:                                                                                                     \
        static fixture* make() { return new fixture##_##name##_Test; }                                          \
        void TestBody() override;                                                                               \
    };                                                                                                          \
    [[maybe_unused]] static const bool fixture##_##name##_is_added =                                            \
        futon::test::add_test_of<fixture>(#fixture, #name, __FILE__, __LINE__, &fixture##_##name##_Test::make); \
    void fixture##_##name##_Test::TestBody()
