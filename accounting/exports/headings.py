"""Names of columns as people read them, in the languages of the interface."""

from collections.abc import Mapping

from accounting.exports.tables import Column

#: '' stands for the names that programs read.
LANGUAGES = ("", "en", "zh-hans")
_WORDS: Mapping[str, tuple[str, str]] = {
    "bucket": ("Period", "时段"),
    "model": ("Model", "模型"),
    "provider": ("Provider", "供应商"),
    "project": ("Project", "项目"),
    "project_name": ("Project name", "项目名称"),
    "key": ("API key", "API 密钥"),
    "user": ("User", "用户"),
    "source": ("Source", "来源"),
    "status": ("Status", "状态"),
    "team": ("Team", "团队"),
    "agent": ("Agent", "智能体"),
    "environment": ("Environment", "环境"),
    "service_tier": ("Service tier", "服务层级"),
    "cost_center": ("Cost centre", "成本中心"),
    "session": ("Session", "会话"),
    "started_at": ("Started", "开始时间"),
    "ended_at": ("Ended", "结束时间"),
    "requests": ("Requests", "请求数"),
    "errors": ("Errors", "错误数"),
    "input_tokens": ("Input tokens", "输入 Token"),
    "uncached_input_tokens": ("Uncached input tokens", "未缓存输入 Token"),
    "cache_read_input_tokens": ("Cached input tokens", "缓存命中输入 Token"),
    "cache_write_input_tokens": ("Cache write tokens", "缓存写入 Token"),
    "output_tokens": ("Output tokens", "输出 Token"),
    "reasoning_output_tokens": ("Reasoning tokens", "推理 Token"),
    "max_output_tokens": ("Output limit", "输出上限 Token"),
    "cache_hit_rate": ("Cache hit rate", "缓存命中率"),
    "input_output_ratio": ("Input : output", "输入输出比"),
    "cost": ("Cost", "费用"),
    "cost_base": ("Cost in the currency of the books", "费用（记账货币）"),
    "corrections": ("Of it corrections", "其中更正"),
    "reported_cost": ("Reported cost", "上报费用"),
    "credits": ("Credits", "额度（积分）"),
    "unpriced_requests": ("Unpriced requests", "未定价请求数"),
    "unpriced_tokens": ("Unpriced tokens", "未定价 Token"),
    "assumed_requests": ("Requests at an assumed price", "按假定价格计费的请求数"),
    "event": ("Event", "事件"),
    "part": ("Part", "部分"),
    "request_model": ("Requested model", "请求的模型"),
    "operation": ("Operation", "操作"),
    "http_status": ("HTTP status", "HTTP 状态码"),
    "error_type": ("Error", "错误类型"),
    "error_origin": ("Error came from", "错误来源"),
    "finish_reason": ("Finish reason", "结束原因"),
    "usage_state": ("Usage is", "用量状态"),
    "duration_ms": ("Duration, ms", "耗时（毫秒）"),
    "ttft_ms": ("Time to first token, ms", "首 Token 延迟（毫秒）"),
    "cost_state": ("Cost is", "费用状态"),
    "currency": ("Currency", "货币"),
    "reported_currency": ("Currency of reported cost", "上报费用货币"),
    "price_version": ("Price version", "价目版本"),
    "import_id": ("Import no.", "导入编号"),
    "import": ("Import", "导入"),
    "path": ("File", "文件"),
    "line": ("Line", "行号"),
    "byte_offset": ("Byte offset", "字节偏移"),
    "format": ("Format", "格式"),
    "state": ("State", "状态"),
    "error_code": ("Error code", "错误代码"),
    "reason": ("Reason", "原因"),
    "received_at": ("Received", "接收时间"),
    "finished_at": ("Finished", "完成时间"),
    "lines": ("Lines", "行数"),
    "recorded": ("Recorded", "已记录"),
    "updated": ("Updated", "已更新"),
    "duplicates": ("Duplicates", "重复"),
    "conflicts": ("Conflicts", "冲突"),
    "skipped": ("Without usage", "无用量"),
    "rejected": ("Rejected", "已拒绝"),
    "book": ("Price book", "价目表"),
    "unit": ("Unit", "计价项"),
    "price": ("Price", "价格"),
    "per": ("Per", "计价数量"),
    "from": ("From", "生效时间"),
    "to": ("To", "失效时间"),
    "input_gt": ("Input above", "输入超过"),
    "conditions": ("Conditions", "条件"),
    "window": ("Hours", "适用时段"),
    "tier_mode": ("Tier mode", "阶梯方式"),
    "tiers": ("Tiers", "阶梯价格"),
    "priority": ("Priority", "优先级"),
    "note": ("Note", "备注"),
}
_BY_CURRENCY = ("cost_", "corrections_", "reported_cost_")


def heading(column: Column, language: str) -> str:
    """A column's name in a language; language: of LANGUAGES."""
    if not language:
        return column.name
    place = LANGUAGES.index(language) - 1
    if column.name in _WORDS:
        return _WORDS[column.name][place]
    for start in _BY_CURRENCY:
        if column.name.startswith(start):
            return f"{_WORDS[start[:-1]][place]} {column.name.removeprefix(start)}"
    # Only tags are left: their keys are the organization's own words.
    word = ("Tag", "标签")[place]
    return f"{word} {column.name.partition(':')[2]}"
