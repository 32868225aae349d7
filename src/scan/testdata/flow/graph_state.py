import httpx
from langchain_core.messages import HumanMessage, SystemMessage
from langgraph.graph import StateGraph


def fetch(state):
    page = httpx.get(state["url"]).text
    return {"page": page, "instructions": page}  # expect: STATE-001


def answer(state):
    head = SystemMessage(content=state["instructions"])
    return {"messages": [llm.invoke([head, HumanMessage(content=state["page"])])]}


def choose(state):
    return state["destination"]


def triage(state):
    return {"destination": state["messages"][-1].content}  # expect: STATE-001


graph = StateGraph(dict)
graph.add_node("fetch", fetch)
graph.add_node("answer", answer)
graph.add_node("triage", triage)
graph.add_conditional_edges("triage", choose)
