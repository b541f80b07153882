"""What is left of a run's tokens, shared by requests that are on their way at the same time."""

import asyncio

from toolplanner_core.runs.stages.token_room import LEAST_FOR_A_REPLY, TokenRoom


class Spent:
    """What replies took so far."""

    tokens = 0

    def __call__(self) -> int:
        return self.tokens


def test_room_when_a_request_is_alone_then_its_reply_gets_all_that_is_left() -> None:
    async def body() -> int:
        async with TokenRoom(3000, Spent()).setting_aside(500) as room:
            return room

    assert asyncio.run(body()) == 2500


def test_room_when_much_is_left_then_others_can_ask_at_the_same_time() -> None:
    async def body() -> tuple[int, int]:
        room = TokenRoom(200_000, Spent())
        async with room.setting_aside(1000) as one, room.setting_aside(1000) as other:
            return one, other

    one, other = asyncio.run(body())
    assert one == (200_000 - 1000) // 8
    assert LEAST_FOR_A_REPLY < other < one


def test_room_when_another_holds_it_then_it_is_waited_for_and_not_refused() -> None:
    spent, order = Spent(), list[str]()

    async def ask(room: TokenRoom, name: str, took: int, leave: asyncio.Event) -> None:
        async with room.setting_aside(500) as left:
            order.append(f"{name} with {left}")
            await leave.wait()
            spent.tokens += took

    async def body() -> None:
        room, leave = TokenRoom(3000, spent), asyncio.Event()
        both = asyncio.gather(ask(room, "first", 600, leave), ask(room, "second", 500, leave))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert order == ["first with 2500"]
        leave.set()
        await both

    asyncio.run(body())
    assert order == ["first with 2500", "second with 1900"]


def test_room_when_one_prompt_did_not_fit_then_a_shorter_one_is_not_sent_either() -> None:
    async def body() -> list[int]:
        room, found = TokenRoom(1000, Spent()), list[int]()
        for prompt in (1000, 10):
            async with room.setting_aside(prompt) as left:
                found.append(left)
        return found

    assert asyncio.run(body()) == [0, 0]


def test_room_when_a_request_is_cancelled_then_it_is_free_again() -> None:
    async def body() -> int:
        room = TokenRoom(1000, Spent())

        async def ask() -> None:
            async with room.setting_aside(100):
                await asyncio.Event().wait()

        asking = asyncio.ensure_future(ask())
        await asyncio.sleep(0)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        return room.left

    assert asyncio.run(body()) == 1000
