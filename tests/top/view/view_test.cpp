// SPDX-License-Identifier: MIT
#include "view.hpp"

#include <gtest/gtest.h>

#include "scene.hpp"
#include "text.hpp"

namespace {

using namespace futon::top::test;
using futon::top::History;
using futon::top::Sort;
using futon::top::View;
using Key = futon::top::Press::Key;

futon::top::Object busy_object() {
    auto object = make_object("accounts", 100);
    object.holders.push_back({"t1", "exclusive", "bank.cpp:41", 1, 9 * second});
    object.waiters.push_back({"c5", "futon::AsyncLock::lock", "bank.cpp:77", 8 * second});
    object.profile.wait = {100, 1200, 90'000, 120'000};
    object.profile.hold = {1000, 300, 8'000, 12'000};
    return object;
}

/// Three objects: accounts, b and c.
struct Scene {
    History history;
    View view{"bank (4711)", Sort::contended, ""};

    Scene() {
        history.add(
            make_snapshot(10 * second, {busy_object(), make_object("b", 50, "0x20"), make_object("c", 20, "0x30")}));
    }
    std::vector<futon::top::Line> draw(int columns = 80, int lines = 24) { return view.draw(history, columns, lines); }
    void type(const char* text) {
        for (; *text != '\0'; ++text) view.press(press(std::string(1, *text).c_str()), history);
    }
};

TEST(TopView, ShowsTheProgramItsObjectsAndTheSelectedOneInFull) {
    Scene scene;
    const auto lines = scene.draw();

    EXPECT_EQ(lines[0].text, "bank (4711)  watched 0ns  1 thread  1 loop  1 coroutine");
    EXPECT_EQ(lines[1].text, "3 objects by contentions");
    EXPECT_EQ(lines[3].text, "  OBJECT          OWNER SINCE WAITERS CONT/s   p50   p99   max   p50   p99   max");
    EXPECT_EQ(lines[4].text, "> accounts        t1     1.0s       1      - 1.2us  90us 120us 300ns 8.0us  12us");
    EXPECT_TRUE(contains_text(lines, "-- accounts: AsyncLock 0x10 -"));
    EXPECT_TRUE(contains_text(lines, "held by t1 teller (4712), exclusive, for 1.0s, at bank.cpp:41\n"));
    EXPECT_TRUE(contains_text(lines, "waiting 2.0s: coroutine c5 of l1 in futon::AsyncLock::lock, at bank.cpp:77\n"));
    EXPECT_TRUE(contains_text(lines, "l1: delay 120us, longest 4.0ms, on t1 teller (4712)\n"));
    EXPECT_EQ(lines.size(), 24u);
}

TEST(TopView, OfFewColumnsTheMostUsefulStay) {
    Scene scene;
    const auto lines = scene.draw(40);

    EXPECT_EQ(lines[3].text, "  OBJECT      OWNER WAITERS CONT/s   p99");
    EXPECT_TRUE(contains_text(lines, "held by t1 teller (4712), exclusive, for\n  1.0s, at bank.cpp:41\n"));
}

TEST(TopView, FitsIntoEverySize) {
    const Utf8 utf8;
    Scene scene;
    auto odd = make_object("口座\x1b[2J", 200, "0x40");
    odd.holders.resize(9, {"t1", "permits", "", 2, 0});
    auto snapshot = make_snapshot(11 * second, {odd, busy_object()});
    snapshot.places = {make_place("口座\x1b[2J", "bank.cpp:41", 500), make_place("b", std::string(200, 'x'), 7)};
    snapshot.sampled_one_in = 1000;
    scene.history.add(snapshot);
    for (const char* key : {"c", "/", "?", "P"}) {
        scene.view.press(press(key), scene.history);
        for (int columns = 1; columns < 130; columns += columns < 45 ? 1 : 17)
            for (int lines = 1; lines < 30; ++lines) {
                const auto drawn = scene.draw(columns, lines);
                ASSERT_LE(drawn.size(), static_cast<std::size_t>(lines));
                for (const auto& line : drawn) {
                    ASSERT_LE(futon::top::width(line.text), columns) << line.text;
                    ASSERT_EQ(line.text.find('\x1b'), std::string::npos);
                }
            }
        scene.view.press(press(Key::escape), scene.history);
    }
}

TEST(TopView, SaysHowManyCallersItLeavesOut) {
    Scene scene;
    auto object = busy_object();
    object.waiters.resize(40, object.waiters[0]);
    scene.history.add(make_snapshot(11 * second, {object}));

    EXPECT_TRUE(contains_text(scene.draw(), "\n... and 29 more\n")) << text(scene.draw());
}

TEST(TopView, TheSelectionStaysAtItsObject) {
    Scene scene;
    EXPECT_EQ(selected(scene.draw()), "accounts");
    scene.view.press(press(Key::down), scene.history);
    EXPECT_EQ(selected(scene.draw()), "b");

    scene.history.add(
        make_snapshot(11 * second, {make_object("b", 50, "0x20"), busy_object(), make_object("c", 99, "0x30")}));

    EXPECT_EQ(selected(scene.draw()), "b");
    scene.view.press(press(Key::home), scene.history);
    EXPECT_EQ(selected(scene.draw()), "c");
}

TEST(TopView, TheFirstObjectIsSelectedOnceTheSelectedOneIsGone) {
    Scene scene;
    scene.type("j");

    scene.history.add(make_snapshot(11 * second, {busy_object()}));

    EXPECT_EQ(selected(scene.draw()), "accounts");
}

TEST(TopView, TheSelectedObjectIsAlwaysInSight) {
    Scene scene;
    std::vector<futon::top::Object> objects;
    for (int i = 0; i < 100; ++i)
        objects.push_back(make_object("lock" + std::to_string(i), 1000 - i, "0x" + std::to_string(i)));
    scene.history.add(make_snapshot(10 * second, objects));

    for (int i = 0; i < 99; ++i) {
        EXPECT_EQ(selected(scene.draw()), "lock" + std::to_string(i));
        scene.type("j");
    }
    scene.type("jjj");
    EXPECT_EQ(selected(scene.draw()), "lock99");
    scene.view.press(press(Key::page_up), scene.history);
    EXPECT_NE(selected(scene.draw()), "lock98");
    scene.type("k");
    scene.view.press(press(Key::home), scene.history);
    EXPECT_EQ(selected(scene.draw()), "lock0");
    scene.view.press(press(Key::end), scene.history);
    EXPECT_EQ(selected(scene.draw()), "lock99");
}

TEST(TopView, KeysSort) {
    Scene scene;
    const std::pair<const char*, const char*> keys[] = {
        {"w", "by wait p99"}, {"h", "by hold p99"}, {"n", "by waiters"}, {"c", "by contentions"}};
    for (const auto& [key, said] : keys) {
        scene.type(key);
        EXPECT_TRUE(contains_text(scene.draw(), said));
    }
}

TEST(TopView, ShowsThePlacesInTheProgramsOrder) {
    Scene scene;
    auto snapshot = make_snapshot(11 * second, {busy_object()});
    snapshot.places = {make_place("log", "audit.cpp:17", 20), make_place("accounts", "bank.cpp:41", 1200)};
    scene.history.add(snapshot);
    scene.type("P");
    const auto lines = scene.draw();

    EXPECT_EQ(lines[1].text, "2 places by time waited");
    EXPECT_EQ(lines[2].text, "OBJECT                PLACE                    ACQ  CONT  WAIT   p99  HOLD   p99");
    EXPECT_EQ(lines[3].text, "log                   audit.cpp:17              20     2  20us  40us     -     -");
    EXPECT_EQ(lines[4].text, "accounts              bank.cpp:41             1.2k   120 1.2ms 2.4ms     -     -");
    EXPECT_FALSE(contains_text(lines, "held by"));
    EXPECT_EQ(lines.back().text, "q quit  ? help  p pause  / filter  P objects  arrows scroll");
    EXPECT_EQ(scene.draw(40)[3].text, "log           audit.cpp:17      20     2");

    scene.type("P");
    EXPECT_TRUE(contains_text(scene.draw(), "> accounts"));
}

TEST(TopView, PlacesAreFilteredByObjectAndLine) {
    Scene scene;
    auto snapshot = make_snapshot(11 * second, {busy_object()});
    snapshot.places = {make_place("log", "audit.cpp:17", 20), make_place("accounts", "bank.cpp:41", 1200)};
    snapshot.sampled_one_in = 1000;
    scene.history.add(snapshot);
    scene.type("P/AUDIT");
    scene.view.press(press(Key::enter), scene.history);

    EXPECT_EQ(scene.draw()[1].text, "1 of 2 places by time waited  filter: AUDIT  estimates: one of 1000 is seen");
    EXPECT_TRUE(contains_text(scene.draw(), "audit.cpp:17"));
    EXPECT_FALSE(contains_text(scene.draw(), "bank.cpp:41"));
    scene.type("/x");
    EXPECT_TRUE(contains_text(scene.draw(), "no place to show"));
}

TEST(TopView, PlacesAreScrolled) {
    Scene scene;
    auto snapshot = make_snapshot(11 * second, {busy_object()});
    for (int i = 0; i < 100; ++i)
        snapshot.places.push_back(make_place("lock", "line" + std::to_string(i) + ".", 1000 - i));
    scene.history.add(snapshot);
    scene.type("P");
    EXPECT_TRUE(contains_text(scene.draw(), "line0."));
    EXPECT_TRUE(contains_text(scene.draw(), "line19."));
    EXPECT_FALSE(contains_text(scene.draw(), "line20."));

    scene.type("jjj");
    EXPECT_FALSE(contains_text(scene.draw(), "line2."));
    EXPECT_TRUE(contains_text(scene.draw(), "line22."));
    scene.view.press(press(Key::end), scene.history);
    EXPECT_TRUE(contains_text(scene.draw(), "line80."));
    EXPECT_TRUE(contains_text(scene.draw(), "line99."));
    scene.type("j");
    EXPECT_TRUE(contains_text(scene.draw(), "line80."));
    scene.view.press(press(Key::page_up), scene.history);
    EXPECT_TRUE(contains_text(scene.draw(), "line60."));
    scene.view.press(press(Key::home), scene.history);
    EXPECT_TRUE(contains_text(scene.draw(), "line0."));
}

TEST(TopView, AFilterIsTypedAndKeptOrNot) {
    Scene scene;
    scene.type("/acx");
    scene.view.press(press(Key::erase), scene.history);
    EXPECT_TRUE(contains_text(scene.draw(), "filter: ac_\n"));
    EXPECT_TRUE(contains_text(scene.draw(), "1 of 3 objects by contentions"));
    scene.view.press(press(Key::enter), scene.history);
    scene.type("/none");
    EXPECT_TRUE(contains_text(scene.draw(), "no object matches the filter"));
    scene.view.press(press(Key::escape), scene.history);

    EXPECT_TRUE(contains_text(scene.draw(), "1 of 3 objects by contentions  filter: ac\n"));
}

TEST(TopView, EraseTakesAWholeLetter) {
    const Utf8 utf8;
    Scene scene;
    scene.type("/");
    scene.view.press(press("ä"), scene.history);
    scene.view.press(press(Key::erase), scene.history);
    scene.view.press(press(Key::erase), scene.history);

    EXPECT_TRUE(contains_text(scene.draw(), "filter: _\n"));
}

TEST(TopView, PausesAndAsksAtOnceWhenItGoesOn) {
    Scene scene;
    EXPECT_EQ(scene.view.press(press("p"), scene.history), View::Wish::none);
    EXPECT_TRUE(scene.view.is_paused());
    EXPECT_TRUE(contains_text(scene.draw(), "PAUSED"));

    EXPECT_EQ(scene.view.press(press(" "), scene.history), View::Wish::ask);
    EXPECT_FALSE(scene.view.is_paused());
}

TEST(TopView, AnyKeyClosesTheHelpAndDoesNothingElse) {
    Scene scene;
    scene.type("?");
    EXPECT_TRUE(contains_text(scene.draw(), "acquisitions a second that had to wait"));

    EXPECT_EQ(scene.view.press(press("q"), scene.history), View::Wish::none);

    EXPECT_EQ(selected(scene.draw()), "accounts");
    EXPECT_EQ(scene.view.press(press("q"), scene.history), View::Wish::quit);
}

TEST(TopView, SaysThatThereIsNothingYet) {
    View view("bank (4711)", Sort::contended, "");
    EXPECT_TRUE(contains_text(view.draw(History(), 80, 24), "asking for the first snapshot"));
    History history;
    history.add(make_snapshot(second, {}));

    EXPECT_TRUE(contains_text(view.draw(history, 80, 24), "no object was used yet"));
}

}  // namespace
