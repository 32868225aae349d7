export function View({ html, onClick }: Props) {
  return <div className="a" onClick={() => onClick(html)} {...rest}>text {render(html)} <Inner value={html} /></div>;
}
