"""A key of the state of whatever name, when a node puts it into a system message."""
from typing import TypedDict

import requests
from langchain_core.messages import HumanMessage, SystemMessage
from langgraph.graph import END, START, StateGraph


class State(TypedDict):
    url: str
    tone: str
    page: str


def read(state: State):
    page = requests.get(state["url"], timeout=10).text
    return {
        "page": page,
        "tone": page.split("tone:")[-1],  # expect: STATE-001
    }


def write(state: State):
    return {"page": [SystemMessage(content="Write. " + state["tone"]), HumanMessage(content=state["page"])]}


graph = StateGraph(State)
graph.add_node("read", read)
graph.add_node("write", write)
graph.add_edge(START, "read")
graph.add_edge("read", "write")
graph.add_edge("write", END)
